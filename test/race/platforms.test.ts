import { expect, it } from 'vitest'
import { readSecrets } from '../../local/secrets.ts'
import { unseal } from '../../src/lib/crypto.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../src/lib/webhook-signature.ts'
import { atOnce, WRITERS, withStatus } from '../support/at-once.ts'
import { type Body, expectError, freshSlug, type Operator, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const h = shared()
const { api, sql, newOperator, newPlatform } = h

const change = ({ token }: Operator, slug: string, body: object) =>
  api('PATCH', `/platforms/${slug}`, { token, body })
const rowOf = async (slug: string): Promise<Body> =>
  (await sql('select * from platforms where slug = $1', [slug]))[0]

async function audited({ id }: Operator, action: string): Promise<number> {
  return (await sql('select 1 from audit_log where operator_id = $1 and action = $2', [id, action])).length
}

it('gives a slug to one of twenty operators that request it concurrently', async () => {
  const operators = await atOnce(() => newOperator())
  const slug = freshSlug()
  const responses = await Promise.all(
    operators.map(({ token }, n) => api('POST', '/platforms', { token, body: { slug, name: `Nr. ${n}` } })),
  )
  expect(withStatus(responses, 201)).toHaveLength(1)
  for (const response of responses) {
    if (response.status !== 201) expectError(response, 409, 'CONFLICT', RegExp(`'${slug}' is already taken`))
  }
  const winner = operators[responses.findIndex(({ status }) => status === 201)]
  expect(await rowOf(slug)).toMatchObject({ operator_id: winner?.id })
  expect(await sql('select operator_id from audit_log where target = $1', [slug])).toEqual([
    { operator_id: winner?.id },
  ])
})

it('keeps two of twenty secrets that are rotated concurrently', async () => {
  const operator = await newOperator()
  const platform = await newPlatform(operator)
  const responses = await atOnce(() =>
    api('POST', `/platforms/${platform.slug}/webhook-secret`, { token: operator.token }),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const given = responses.map(({ body }) => body.webhook_secret as string)
  expect(new Set([platform.webhook_secret, ...given]).size).toBe(WRITERS + 1)
  const row = await rowOf(platform.slug)
  const [newest, previous] = await Promise.all(
    [row.webhook_secret, row.previous_webhook_secret].map((sealed) =>
      unseal(readSecrets(h.dir).secrets_key, WEBHOOK_SECRET_PURPOSE, sealed),
    ),
  )
  expect(given).toContain(newest)
  expect(given).toContain(previous)
  expect(newest).not.toBe(previous)
  expect([1, 2]).toContain(await audited(operator, 'platform.secret_rotated')) // one per minute
})

it('keeps both of two fields that are changed concurrently', async () => {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator)
  await atOnce((n) =>
    change(operator, slug, n % 2 ? { name: 'Both' } : { webhook_url: 'https://hooks.example.com/both' }),
  )
  expect(await rowOf(slug)).toMatchObject({ name: 'Both', webhook_url: 'https://hooks.example.com/both' })
})

it('gives no key to a platform that is retired meanwhile', async () => {
  const operator = await newOperator()
  const { token } = operator
  const { slug } = await newPlatform(operator)
  const held = await holdOpen(h, `update platforms set status = 'retired' where slug = $1`, [slug])
  const creating = api('POST', `/platforms/${slug}/api-keys`, { token, body: { name: 'late' } })
  await held.isWaitedFor()
  await held.commit()
  expectError(await creating, 409, 'CONFLICT', /is retired/)
})

it('audits the enabling of a webhook once for each time that it was disabled', async () => {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator)
  const disable = () =>
    sql(
      `update platforms set webhook_status = 'disabled', consecutive_failures = 10, failing_since = '2026-11-01T00:00:00Z'
       where slug = $1 and webhook_status = 'enabled' returning 1`,
      [slug],
    )
  const enable = () => change(operator, slug, { webhook_status: 'enabled' })
  const [disabled, enabled] = await Promise.all([atOnce(disable), atOnce(enable)])
  for (const { status, body } of enabled) {
    expect(status).toBe(200)
    expect(body).toMatchObject({ webhook_status: 'enabled', consecutive_failures: 0, failing_since: null })
  }
  const row = await rowOf(slug)
  const isOpen = row.webhook_status === 'enabled'
  expect(row).toMatchObject(
    isOpen
      ? { consecutive_failures: 0, failing_since: null }
      : { consecutive_failures: 10, failing_since: expect.any(Date) },
  )
  const disabledTimes = disabled.flat().length
  expect(disabledTimes).toBeGreaterThan(0)
  expect(await audited(operator, 'platform.enabled')).toBe(disabledTimes - (isOpen ? 0 : 1))
})
