import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { connect } from '../../src/db/client.ts'
import { MAIL_OPT_OUTS, NOTIFICATION_TYPES, type NotificationType } from '../../src/db/enums.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { notifyOperators } from '../../src/notifications/store.ts'
import { newAgentKey } from '../support/agent-keys.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'
import { memberControl } from '../support/members.ts'
import { ISO } from '../support/shapes.ts'

const h = shared()
const mail = mailControl(h)
const { incident, me, newAlerted } = mail
const { platformKey } = memberControl(h)
const db = connect(
  { DATABASE_URL: h.database_url, NEON_SQL_URL: h.neon_sql_url },
  new AbortController().signal,
)

/** Notifies an operator with the SQL that every feature uses. */
const notify = ({ id }: Operator, type: NotificationType, reg: string | null = null, now = new Date()) =>
  db.execute(
    sql`select ${notifyOperators(type, sql`select ${id}::uuid as operator_id, 'A title' as title, 'A body' as body, ${reg}::text as reg`, now)}`,
  )

const patch = ({ token }: Operator, body: object) => h.api('PATCH', '/operators/me', { token, body })
const listed = async ({ token }: Operator): Promise<Body[]> =>
  (await h.api('GET', '/operators/me/notifications', { token })).body.data

describe('a notification', () => {
  it('is sent as an email that names the event, the agent, and what to do', async () => {
    const { operator, reg } = await newAlerted()
    const { to, subject, text, html, headers } = await mail.only(operator)
    expect({ to, subject }).toEqual({ to: operator.email, subject: 'Scout, unrated: error: Wrong totals' })
    for (const part of [text, html]) {
      expect(part).toContain('Severity error, reported by its operator. Three invoices.')
      expect(part).toContain(`Scout (${reg})`)
      expect(part).toContain('resolve the incident')
      expect(part).toContain(`${h.base_url}/console/agents/${reg}`)
      expect(part).toMatch(new RegExp(`${h.base_url}/console(?!/)`))
      expect(part).toContain(headers['List-Unsubscribe']?.slice(1, -1))
    }
    expect(headers).toEqual({
      From: expect.stringContaining('@'),
      'List-Unsubscribe': expect.stringMatching(
        `^<${h.base_url}/unsubscribe/${operator.id}\\.incident_alert\\.[0-9a-f]{32}>$`,
      ),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(await mail.rows(operator)).toMatchObject([{ status: 'sent', attempts: 1, error: null }])
    await mail.relayed(operator)
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it('of every type is sent, but is only listed if its type is unsubscribed', async () => {
    const operator = await h.newOperator()
    for (const type of NOTIFICATION_TYPES) await notify(operator, type)
    await mail.relayed(operator)
    const links = (await mail.received(operator)).map(({ headers }) =>
      headers['List-Unsubscribe']?.split('.').at(-2),
    )
    expect(links.sort()).toEqual([...MAIL_OPT_OUTS, undefined].sort())

    const other = await h.newOperator()
    const changed = await patch(other, { mail_opt_outs: MAIL_OPT_OUTS })
    expect(changed.body.mail_opt_outs.toSorted()).toEqual([...MAIL_OPT_OUTS].sort())
    for (const type of NOTIFICATION_TYPES) await notify(other, type)
    expect(await mail.relayed(other)).toMatchObject([{ type: 'agent_key', status: 'sent' }])
    expect((await listed(other)).map(({ type }) => type).sort()).toEqual([...NOTIFICATION_TYPES].sort())
  })

  it('is shown in the local mailbox with its text, links and headers', async () => {
    const { operator, reg } = await newAlerted({ title: 'Wrong <b>totals</b>' })
    const { headers } = await mail.only(operator)
    const page = await (await fetch(`${h.mailbox_url}?to=${encodeURIComponent(operator.email)}`)).text()
    const link = headers['List-Unsubscribe']?.slice(1, -1)
    expect(page).toContain('Wrong &lt;b&gt;totals&lt;/b&gt;')
    expect(page).toMatch(
      new RegExp(`<a href="${h.base_url}/console/agents/${reg}/incidents#incident-[0-9a-f-]{36}"`),
    )
    expect(page).toContain(`<a href="${link}"`)
    expect(page).toContain(`List-Unsubscribe: &lt;${link}&gt;`)
    expect(page).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  })

  it('that is turned off is not sent', async () => {
    const reporter = await h.newReporter()
    await patch(reporter.operator, { notification_prefs: { incident_alerts: false } })
    await incident(reporter)
    expect(await mail.relayed(reporter.operator)).toEqual([])
  })

  it('is not sent to an unsubscribed or suspended operator, nor with redacted texts', async () => {
    const [unsubscribed, suspended, redacted] = await Promise.all([
      newAlerted(),
      newAlerted(),
      h.newReporter(),
    ])
    await patch(unsubscribed.operator, { mail_opt_outs: ['incident_alert'] })
    await h.suspend(suspended.operator)
    const { id } = await incident(redacted, { title: 'Mr Smith', description: 'lives in Elm Street' })
    await administer(h.database_url, ['redact', id, '--reason', 'personal'])
    for (const { operator } of [unsubscribed, suspended]) {
      expect(await mail.relayed(operator)).toMatchObject([{ status: 'skipped', attempts: 0 }])
      expect(await mail.received(operator)).toEqual([])
    }
    const { subject, text, html } = await mail.only(redacted.operator)
    expect(subject + text + html).not.toMatch(/Smith|Elm/)
    expect(text).toContain('Its texts were redacted.')
  })

  it('escapes hostile texts, and keeps the subject on one line', async () => {
    const operator = await h.newOperator()
    const name = '<script>alert(1)</script>"قارئ'
    const { reg } = await h.newAgent(operator, { name })
    const { key } = await h.newKey(operator)
    const title = `${'<b>'.repeat(30)}&amp;`
    await incident({ key, reg }, { title, description: '<img src=x>\nBcc: everybody@example.com' })
    const { subject, text, html } = await mail.only(operator)
    expect([...subject].length).toBeLessThanOrEqual(78)
    expect(subject).not.toMatch(/[\r\n]/)
    expect(text).toContain(`Agent: ${name} (${reg})`)
    expect(text).toContain('<img src=x>\nBcc: everybody@example.com')
    expect(html).not.toMatch(/<script|<img|<b><b>/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })
})

describe('emails are limited', () => {
  it('to one per agent and hour', async () => {
    const operator = await h.newOperator()
    const [one, two] = await Promise.all([h.newAgent(operator), h.newAgent(operator)])
    const { key } = await h.newKey(operator)
    const now = new Date()
    for (const { reg } of [one, two, one, two]) await incident({ key, reg }, {}, now)
    await incident({ key, reg: one.reg }, {}, new Date(now.getTime() + HOUR_MS - 1000))
    await notify(operator, 'trust_alert', one.reg, now)
    const queued = async () => (await mail.rows(operator)).map(({ type, reg }) => `${type} ${reg}`).sort()
    expect(await queued()).toEqual([`incident_alert ${one.reg}`, `incident_alert ${two.reg}`].sort())
    await incident({ key, reg: one.reg }, {}, new Date(now.getTime() + HOUR_MS + 1000))
    expect(await queued()).toHaveLength(3)
    expect(await listed(operator)).toHaveLength(7)
  })

  it('to one per agent and hour about critical incidents, whatever else was sent, and after it no lesser one', async () => {
    const { operator, reg, key } = await h.newReporter()
    const now = new Date()
    for (const [n, severity] of ['warning', 'critical', 'critical'].entries())
      await h.report(key, reg, { event_type: 'incident', severity }, new Date(now.getTime() + 10_000 * n))
    expect((await mail.rows(operator)).map(({ critical }) => critical)).toEqual([false, true])
    const [, critical] = await mail.relayed(operator, new Date(now.getTime() + 30_000))
    expect(critical).toMatchObject({ status: 'sent' })
    const later = new Date(now.getTime() + HOUR_MS + 60_000)
    await h.report(key, reg, { event_type: 'incident', severity: 'critical' }, later)
    await h.report(key, reg, { event_type: 'incident', severity: 'warning' }, later)
    expect((await mail.rows(operator)).map(({ critical }) => critical)).toEqual([false, true, true])
    expect(await listed(operator)).toHaveLength(5)
  })

  it('to twenty per day, besides the digest', async () => {
    const operator = await h.newOperator()
    const at = new Date('2026-11-16T12:00:00Z')
    for (let n = 0; n < 22; n++) await notify(operator, 'incident_alert', `agent ${n}`, at)
    expect(await mail.rows(operator)).toHaveLength(20)
    await notify(operator, 'weekly_digest', null, at)
    expect(await mail.rows(operator)).toHaveLength(21)
    await notify(operator, 'trust_alert', 'agent 1', at)
    expect(await mail.rows(operator)).toHaveLength(21)
    await notify(operator, 'trust_alert', 'agent 1', new Date('2026-11-17T00:00:00Z'))
    expect(await mail.rows(operator)).toHaveLength(22)
  })

  it('by kind: an alert displaces no email about anything else, in the hour or on the day', async () => {
    const operator = await h.newOperator()
    const at = new Date('2026-11-16T12:00:00Z')
    for (let n = 0; n < 20; n++) await notify(operator, 'incident_alert', `agent ${n}`, at)
    for (let n = 0; n < 12; n++) await notify(operator, 'platform_membership', `agent ${n}`, at)
    for (let n = 0; n < 2; n++) await notify(operator, 'webhook_disabled', null, at)
    const types = (await mail.rows(operator)).map(({ type }) => type)
    const count = (type: string) => types.filter((each) => each === type).length
    expect(['incident_alert', 'platform_membership', 'webhook_disabled'].map(count)).toEqual([20, 10, 1])
  })

  it.each(['critical', 'warning'])(
    'to ten alerts of severity %s per day about agents of one platform',
    async (severity) => {
      const operator = await h.newOperator({ tier: 'pro' })
      const of = async () => {
        const host = await h.newOperator()
        const { slug } = await h.newPlatform(host)
        const agents = await Promise.all(
          Array.from({ length: 12 }, () => h.newAgent(operator, { platform_slug: slug })),
        )
        const token = await platformKey(host, slug)
        const events = agents.map(({ reg }) => ({ reg, event_type: 'incident', severity }))
        return () => h.api('POST', '/activity/report/batch', { token, body: { events } })
      }
      const [one, other] = await Promise.all([of(), of()])
      expect(await one()).toMatchObject({ status: 201 })
      expect(await mail.rows(operator)).toHaveLength(10)
      expect(await other()).toMatchObject({ status: 201 })
      expect(await mail.rows(operator)).toHaveLength(20)
    },
  )

  it('to twenty per day for one batch with incidents of 25 agents', async () => {
    const operator = await h.newOperator({ tier: 'pro' })
    const agents = await Promise.all(Array.from({ length: 25 }, () => h.newAgent(operator)))
    const { key } = await h.newKey(operator)
    const events = agents.map(({ reg }) => ({ reg, event_type: 'incident' }))
    await h.api('POST', '/activity/report/batch', { token: key, body: { events } })
    expect(await mail.rows(operator)).toHaveLength(20)
  })
})

describe('a rejected email address', () => {
  /** An operator whose address the provider has just rejected. */
  async function newRejected() {
    const reporter = await newAlerted()
    await mail.setFaults(reporter.operator, { reject: 1 })
    expect(await mail.relayed(reporter.operator)).toMatchObject([{ status: 'failed', attempts: 1 }])
    return reporter
  }

  it('receives no more emails until its operator requests it, but notifications are still listed', async () => {
    const { operator } = await newRejected()
    expect(await me(operator)).toMatchObject({ mail_refused_at: ISO })
    await notify(operator, 'ownership_lost')
    expect(await mail.relayed(operator)).toHaveLength(1)
    expect(await listed(operator)).toHaveLength(2)
    const resumed = await h.api('POST', '/operators/me/mail/resume', { token: operator.token })
    expect(resumed.body).toEqual({ ...(await me(operator)), mail_refused_at: null })
    await notify(operator, 'ownership_lost')
    await mail.relayed(operator)
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it('is reset by a sign-in with another address, but not with the same one', async () => {
    const { operator } = await newRejected()
    await h.newOperator({ email: operator.email })
    expect(await me(operator)).toMatchObject({ mail_refused_at: ISO })
    // The stand-in derives the subject from the address; a real provider keeps the subject if the address changes.
    await h.sql(`update operators set email = 'before@example.com' where id = $1`, [operator.id])
    await h.newOperator({ email: operator.email })
    expect(await me(operator)).toMatchObject({ mail_refused_at: null, email: operator.email })
  })

  it('does not affect an address that has replaced it meanwhile', async () => {
    const { operator } = await newAlerted()
    await mail.setFaults(operator, { reject: 1 })
    await h.sql(
      `create or replace function change_address() returns trigger language plpgsql as
       $$ begin update operators set email = 'x' || email where id = new.operator_id; return new; end $$`,
    )
    await h.sql(`create trigger change_address before update on mails for each row
      when (new.operator_id = '${operator.id}' and new.attempts > old.attempts) execute function change_address()`)
    try {
      expect(await mail.relayed(operator)).toMatchObject([{ status: 'failed' }])
    } finally {
      await h.sql('drop function change_address cascade')
    }
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })
})

describe('a mail about a key of an agent', () => {
  it('waits for no other one, is not displaced by others, and cannot be turned off', async () => {
    const operator = await h.newOperator()
    const { reg } = await h.newAgent(operator)
    await h.sql(
      `with made as (
        insert into notifications (id, operator_id, type, title, body, critical, created_at)
        select gen_random_uuid(), $1, unnest(array['platform_membership', 'webhook_disabled']), 'Other', '', false, now()
        from generate_series(1, 10) returning id, operator_id, type, created_at
      ) insert into mails (id, operator_id, type, critical, status, created_at)
      select id, operator_id, type, false, 'sent', created_at from made`,
      [operator.id],
    )
    const { kid } = await newAgentKey(h, operator, reg)
    await newAgentKey(h, operator, reg)
    await h.api('DELETE', `/agents/${reg}/keys/${kid}?reason=compromised`, { token: operator.token })
    await mail.relayed(operator)
    const received = await mail.received(operator)
    const subjects = received.map(({ subject }) => subject).sort()
    expect(subjects).toEqual(['Key of Scout revoked', 'New key for Scout', 'New key for Scout'])
    for (const { headers, text, html } of received) {
      expect(headers).not.toHaveProperty('List-Unsubscribe')
      expect(text).toContain('because alerts about keys of agents are always sent')
      expect(text + html).not.toMatch(/unsubscribe/i)
    }
  })
})

describe('mail_opt_outs', () => {
  it('cannot have the type of keys of agents', async () => {
    const operator = await h.newOperator()
    const { status, body } = await patch(operator, { mail_opt_outs: ['agent_key'] })
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/mail_opt_outs.*must be one of/),
    ])
    expect(await me(operator)).toMatchObject({ mail_opt_outs: [] })
  })

  it('replaces the whole list without duplicates, and is recorded in the audit log', async () => {
    const operator = await h.newOperator()
    await patch(operator, { mail_opt_outs: ['weekly_digest', 'trust_alert', 'trust_alert'] })
    expect(await me(operator)).toMatchObject({ mail_opt_outs: ['trust_alert', 'weekly_digest'] })
    await patch(operator, { mail_opt_outs: [] })
    expect(await me(operator)).toMatchObject({ mail_opt_outs: [] })
    const { body } = await h.api('GET', '/operators/me/audit-log', { token: operator.token })
    const targets = body.data
      .filter(({ action }: Body) => action === 'operator.updated')
      .map(({ target }: Body) => target)
    expect(targets).toEqual(['mail_opt_outs', 'mail_opt_outs'])
  })
})
