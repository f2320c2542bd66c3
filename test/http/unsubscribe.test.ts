import { describe, expect, it } from 'vitest'
import { POLICIES } from '../../src/http/limits.ts'
import { makeUnsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { freshIp, type Operator, shared } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'
import { auditOf } from '../support/platforms.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const mail = mailControl(h)

const linkFor = async ({ id }: Operator, type = 'incident_alert' as const) => {
  const key = settingsOf(h.dir).IDENTITY_KEY ?? ''
  return `${h.base_url}/unsubscribe/${await makeUnsubscribeToken(key, { operator_id: id, type })}`
}

/** Requests a link as a mail client does, without cookie or session. */
async function visit(method: string, link: string) {
  const response = await fetch(link, {
    method,
    redirect: 'manual',
    headers: { 'CF-Connecting-IP': freshIp() },
    ...(method === 'POST' && { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const unsubscribed = async ({ token }: Operator): Promise<string[]> =>
  (await h.api('GET', '/operators/me', { token })).body.mail_opt_outs

describe('the unsubscribe link', () => {
  it('in the List-Unsubscribe header ends emails of the type with one POST', async () => {
    const { operator, reg, key } = await h.newReporter()
    const incident = () => h.report(key, reg, { event_type: 'incident' })
    await incident()
    const link = (await mail.only(operator)).headers['List-Unsubscribe']?.slice(1, -1) ?? ''
    expect(link).toBe(await linkFor(operator))
    const done = await visit('POST', link)
    expect(done.status).toBe(200)
    expect(done.text).toMatch(/no longer.*incident alerts/s)
    expect(await unsubscribed(operator)).toEqual(['incident_alert'])
    const log = h.workerLogs()
    expect(log).toContain('"path":"/unsubscribe/…"')
    expect(log).not.toContain(link.split('/').at(-1))
    await h.sql(`update mails set created_at = created_at - interval '2 hours' where operator_id = $1`, [
      operator.id,
    ])
    await incident()
    await mail.relayed(operator)
    expect(await mail.received(operator)).toHaveLength(1)
    const { body } = await h.api('GET', '/operators/me/notifications', { token: operator.token })
    expect(body.data).toHaveLength(2)
    expect(body.data).toMatchObject([{ type: 'incident_alert' }, { type: 'incident_alert' }])
  })

  it('shows a page with a button, and changes nothing, for GET', async () => {
    const operator = await h.newOperator()
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await visit(method, await linkFor(operator))
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('cache-control')).toContain('no-store')
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/)
      if (method === 'GET') expect(page.text).toMatch(/incident alerts.*<form method="post">/s)
    }
    expect(await unsubscribed(operator)).toEqual([])
  })

  it('has the same effect for repeated and parallel requests, with one audit entry', async () => {
    const operator = await h.newOperator()
    const link = await linkFor(operator)
    const responses = await Promise.all(Array.from({ length: 20 }, () => visit('POST', link)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await visit('POST', link)).status).toBe(200)
    expect(await unsubscribed(operator)).toEqual(['incident_alert'])
    expect(await auditOf(h, operator, 'operator.updated')).toMatchObject([{ target: 'mail_opt_outs' }])
  })

  it('returns 404 if it is invalid, and changes nothing', async () => {
    const [operator, other] = await Promise.all([h.newOperator(), h.newOperator()])
    const link = await linkFor(operator)
    const wrong = [
      link.replace(operator.id, other.id),
      `${h.base_url}/unsubscribe/%00%ff`,
      `${h.base_url}/unsubscribe/${'x'.repeat(5_000)}`,
    ]
    for (const url of wrong) {
      for (const method of ['GET', 'POST']) {
        const page = await visit(method, url)
        expect(page.status, url).toBe(404)
        expect(page.text).toContain('This link does not work')
      }
    }
    for (const one of [operator, other]) expect(await unsubscribed(one)).toEqual([])
  })

  it('works from an IP address over its limit, because users of a mail service share addresses', async () => {
    const [operator, ip] = [await h.newOperator(), freshIp()]
    const call = (method: string, link: string) =>
      fetch(link, { method, headers: { 'CF-Connecting-IP': ip } }).then(({ status }) => status)
    const invalid = await Promise.all(
      Array.from({ length: 2 * POLICIES.public.limit + 1 }, () =>
        call('POST', `${h.base_url}/unsubscribe/x`),
      ),
    )
    expect(invalid).toContain(429)
    expect(await call('POST', await linkFor(operator))).toBe(200)
    expect(await unsubscribed(operator)).toEqual(['incident_alert'])
  })

  it('has its own rate limit for requests from all IP addresses', async () => {
    const operator = await h.newOperator()
    const link = await linkFor(operator)
    const calls = await Promise.all(
      Array.from({ length: 2 * POLICIES.unsubscribe.limit + 1 }, () => visit('GET', link)),
    )
    expect(calls[0]?.headers.get('x-ratelimit-limit')).toBe(String(POLICIES.unsubscribe.limit))
    expect(calls.map(({ status }) => status)).toContain(429) // in at least one of two minutes
  })
})
