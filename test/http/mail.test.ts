import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { MAIL_OPT_OUTS, NOTIFICATION_TYPES, type NotificationType } from '../../src/db/enums.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { notifyOperators } from '../../src/notifications/store.ts'
import { newAgentKey } from '../support/agent-keys.ts'
import { MIDNIGHT, NOON, plus } from '../support/day.ts'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'
import { ISO } from '../support/shapes.ts'

const h = shared()
const mail = mailControl(h)
const { incident, me, newAlerted } = mail
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
  it('is sent as one email, with a link to unsubscribe in its texts and headers', async () => {
    const { operator } = await newAlerted()
    const { to, subject, text, html, headers } = await mail.only(operator)
    expect({ to, subject }).toEqual({ to: operator.email, subject: 'Scout, unrated: error: Wrong totals' })
    expect(headers).toEqual({
      From: expect.stringContaining('@'),
      'List-Unsubscribe': expect.stringMatching(
        `^<${h.base_url}/unsubscribe/${operator.id}\\.incident_alert\\.[0-9a-f]{32}>$`,
      ),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    for (const part of [text, html]) expect(part).toContain(headers['List-Unsubscribe']?.slice(1, -1))
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'sent', attempts: 1, error: null }])
    expect(await mail.received(operator)).toHaveLength(1)
  })

  it('of every type is sent, but is only listed if its type is unsubscribed', async () => {
    const [operator, other] = await Promise.all([h.newOperator(), h.newOperator()])
    for (const type of NOTIFICATION_TYPES) await notify(operator, type)
    await mail.relayed(operator)
    const links = (await mail.received(operator)).map(({ headers }) =>
      headers['List-Unsubscribe']?.split('.').at(-2),
    )
    expect(links.sort()).toEqual([...MAIL_OPT_OUTS, undefined].sort())

    const changed = await patch(other, { mail_opt_outs: MAIL_OPT_OUTS })
    expect(changed.body.mail_opt_outs.toSorted()).toEqual([...MAIL_OPT_OUTS].sort())
    for (const type of NOTIFICATION_TYPES) await notify(other, type)
    expect(await mail.relayed(other)).toMatchObject([{ type: 'agent_key', status: 'sent' }])
    expect((await listed(other)).map(({ type }) => type).sort()).toEqual([...NOTIFICATION_TYPES].sort())
  })

  it('is not sent if it is turned off, unsubscribed, or its operator suspended, nor with redacted texts', async () => {
    const [off, unsubscribed, suspended, redacted] = await Promise.all([
      h.newReporter(),
      h.newReporter(),
      h.newReporter(),
      h.newReporter(),
    ])
    await patch(off.operator, { notification_prefs: { incident_alerts: false } })
    await incident(off)
    expect(await mail.relayed(off.operator)).toEqual([])
    for (const reporter of [unsubscribed, suspended]) {
      await patch(reporter.operator, { mail_opt_outs: ['incident_alert'] })
      await incident(reporter)
    }
    await patch(suspended.operator, { mail_opt_outs: [] })
    await h.suspend(suspended.operator)
    for (const { operator } of [unsubscribed, suspended]) {
      // As if it had waited since before; the sweep of another test could send one that really waits.
      await h.sql(
        `insert into mails (id, operator_id, type, published_at, created_at)
         select id, operator_id, type, now(), created_at from notifications where operator_id = $1`,
        [operator.id],
      )
      expect(await mail.relayed(operator)).toMatchObject([{ status: 'skipped', attempts: 0 }])
      expect(await mail.received(operator)).toEqual([])
    }
    await notify(suspended.operator, 'platform_membership')
    expect(await mail.rows(suspended.operator)).toHaveLength(1) // none is queued during a suspension
    const { id } = await incident(redacted, { title: 'Mr Smith', description: 'lives in Elm Street' })
    await h.admin('redact', id, '--reason', 'personal')
    const { subject, text, html } = await mail.only(redacted.operator)
    expect(subject + text + html).not.toMatch(/Smith|Elm/)
  })

  it('about a key of an agent is sent whatever else was, and cannot be turned off', async () => {
    const { operator, reg } = await h.newReporter()
    const without = await patch(operator, { mail_opt_outs: ['agent_key'] })
    expectError(without, 400, 'VALIDATION_ERROR', /mail_opt_outs/)
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
    expect(received).toHaveLength(3)
    for (const { headers, text, html } of received) {
      expect(headers).not.toHaveProperty('List-Unsubscribe')
      expect(text + html).not.toMatch(/unsubscribe/i)
    }
  })
})

describe('emails are limited', () => {
  it('to one per agent and hour, and one about critical incidents, after which there is no lesser one', async () => {
    const operator = await h.newOperator()
    const [one, two] = await Promise.all([h.newAgent(operator), h.newAgent(operator)])
    const { key } = await h.newKey(operator)
    const start = Date.now()
    const open = (seconds: number, { reg }: Body, severity = 'error') =>
      h.report(key, reg, { event_type: 'incident', severity }, new Date(start + 1000 * seconds))
    const queued = async ({ reg }: Body) =>
      (await mail.rows(operator)).filter((row) => row.reg === reg).map(({ critical }) => critical)
    for (const agent of [one, two, one, two]) await open(0, agent)
    await notify(operator, 'trust_alert', one.reg)
    await open(3_599, one)
    expect([await queued(one), await queued(two)]).toEqual([[false], [false]])
    await open(3_601, one)
    expect(await queued(one)).toEqual([false, false])
    for (const seconds of [10, 20]) await open(seconds, two, 'critical')
    expect(await queued(two)).toEqual([false, true])
    await open(3_660, two, 'critical')
    await open(3_661, two)
    expect(await queued(two)).toEqual([false, true, true])
    expect(await listed(operator)).toHaveLength(11)
  })

  it('per day, by kind: an alert displaces no email about anything else', async () => {
    const operator = await h.newOperator()
    const at = NOON
    for (const [type, count] of [
      ['incident_alert', 22],
      ['platform_membership', 12],
      ['weekly_digest', 1],
    ] as const) {
      for (let n = 0; n < count; n++) await notify(operator, type, `${operator.id} ${n}`, at)
    }
    for (const _ of [1, 2]) await notify(operator, 'webhook_disabled', null, at)
    const types = (await mail.rows(operator)).map(({ type }) => type)
    const counted = Object.fromEntries(
      [...Map.groupBy(types, (type) => type)].map(([t, of]) => [t, of.length]),
    )
    expect(counted).toEqual({
      incident_alert: 20,
      platform_membership: 10,
      weekly_digest: 1,
      webhook_disabled: 1,
    })
    await notify(operator, 'trust_alert', `${operator.id} 1`, at)
    expect(await mail.rows(operator)).toHaveLength(32)
    await notify(operator, 'trust_alert', `${operator.id} 1`, MIDNIGHT)
    expect(await mail.rows(operator)).toHaveLength(33)
    for (let n = 0; n < 12; n++) await notify(operator, 'ownership_lost', `${operator.id} ${n}`, at)
    expect(await mail.rows(operator)).toHaveLength(42) // the digest does not count
    await notify(operator, 'trust_alert', `${operator.id} 0`, plus(23.5 * HOUR_MS, MIDNIGHT))
    await notify(operator, 'trust_alert', `${operator.id} 0`, plus(24.3 * HOUR_MS, MIDNIGHT))
    expect(await mail.rows(operator)).toHaveLength(43) // an hour across midnight
  })
})

describe('a try', () => {
  it('that the provider accepts without a response delivers one email, also if texts change meanwhile', async () => {
    const reporter = await h.newReporter()
    await mail.setFaults(reporter.operator, { breakOff: 1 })
    const { id } = await incident(reporter, { title: 'Mr Smith' })
    expect(await mail.relayed(reporter.operator)).toMatchObject([{ status: 'pending', attempts: 1 }])
    expect(await mail.received(reporter.operator)).toHaveLength(1)
    await h.admin('redact', id, '--reason', 'personal')
    expect(await mail.relayed(reporter.operator)).toMatchObject([
      { status: 'sent', attempts: 2, error: null },
    ])
    expect(await mail.received(reporter.operator)).toHaveLength(1)
  })

  it('that fails is repeated four times; then the email has failed', async () => {
    const { operator } = await newAlerted({ down: true })
    const error = 'internal_server_error'
    for (const attempts of [1, 2, 3, 4])
      expect(await mail.relayed(operator)).toMatchObject([{ status: 'pending', attempts, error }])
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'failed', attempts: 5, error }])
    await mail.setFaults(operator, { down: false })
    await mail.relayed(operator)
    expect(await mail.received(operator)).toEqual([])
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })

  it('is not made for an email older than 23 hours, and fails only this email if the address is not the reason', async () => {
    const [old, rejected] = await Promise.all([h.newOperator(), newAlerted({ rejectSubject: 1 })])
    await notify(old, 'ownership_lost', null, new Date(Date.now() - 23 * HOUR_MS - MINUTE_MS))
    for (const [operator, attempts, error] of [
      [old, 0, 'expired'],
      [rejected.operator, 1, 'validation_error'],
    ] as const) {
      expect(await mail.relayed(operator)).toMatchObject([{ status: 'failed', attempts, error }])
      expect(await mail.received(operator)).toEqual([])
      expect(await me(operator)).toMatchObject({ mail_refused_at: null })
    }
  })
})

describe('a rejected email address', () => {
  it('receives no more emails until its operator requests it or signs in with another address', async () => {
    const { operator } = await newAlerted({ reject: 1 })
    expect(await mail.relayed(operator)).toMatchObject([{ status: 'failed', attempts: 1 }])
    await h.newOperator({ email: operator.email })
    expect(await me(operator)).toMatchObject({ mail_refused_at: ISO })
    await notify(operator, 'ownership_lost')
    expect(await mail.relayed(operator)).toHaveLength(1)
    expect(await listed(operator)).toHaveLength(2)
    const resumed = await h.api('POST', '/operators/me/mail/resume', { token: operator.token })
    expect(resumed.body).toEqual({ ...(await me(operator)), mail_refused_at: null })
    await notify(operator, 'ownership_lost')
    await mail.relayed(operator)
    expect(await mail.received(operator)).toHaveLength(1)

    await mail.tell('email.complained', operator.email)
    expect(await me(operator)).toMatchObject({ mail_refused_at: ISO })
    // The stand-in derives the subject from the address; a real provider keeps the subject if the address changes.
    await h.sql(`update operators set email = 'before@example.com' where id = $1`, [operator.id])
    await h.newOperator({ email: operator.email })
    expect(await me(operator)).toMatchObject({ mail_refused_at: null, email: operator.email })
  })

  it('does not affect an address that has replaced it meanwhile', async () => {
    const { operator } = await newAlerted({ reject: 1 })
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

describe('a webhook of the mail provider', () => {
  it.each([
    ['a permanent bounce', 'email.bounced', { bounce: { type: 'Permanent' } }, ISO],
    ['a bounce without a type', 'email.bounced', {}, ISO],
    ['a spam complaint', 'email.complained', {}, ISO],
    ['a transient bounce', 'email.bounced', { bounce: { type: 'Transient' } }, null],
    ['a delivery', 'email.delivered', {}, null],
  ])('ends emails to the address once if they cannot arrive: %s', async (_, type, data, refused) => {
    const operator = await h.newOperator()
    expect((await mail.tell(type, operator.email, data)).body).toEqual({ received: true })
    const { mail_refused_at } = await me(operator)
    expect(mail_refused_at).toEqual(refused)
    await mail.tell(type, operator.email, data)
    expect(await me(operator)).toMatchObject({ mail_refused_at })
  })

  it('is rejected if it was signed with another secret, too long ago, or in the future', async () => {
    const operator = await h.newOperator()
    for (const by of [{ secret: `whsec_${btoa('another secret')}` }, { ageMs: 360_000 }, { ageMs: -360_000 }])
      expectError(await mail.tell('email.complained', operator.email, by), 401, 'UNAUTHORIZED', /Svix/)
    expect(await me(operator)).toMatchObject({ mail_refused_at: null })
  })
})
