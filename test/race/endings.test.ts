import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { atOnce, WRITERS } from '../support/at-once.ts'
import { askRelay, newIntegration, queueDeliveries } from '../support/deliveries.ts'
import { logOf, tirelessReporter } from '../support/fill.ts'
import { type ApiResponse, expectError, type Operator, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'
import { acceptedWith } from '../support/signature.ts'

const h = shared()
const { api, sql, newOperator } = h
const ROUNDS = 3

interface Call {
  began: number
  response: ApiResponse
}

/** Makes calls from twenty concurrent callers while `end` runs: the statuses of all, and of those started after its end. */
async function callsDuring(use: () => Promise<ApiResponse>, end: () => Promise<unknown>) {
  const calls: Call[] = []
  const callOnce = async () => {
    const began = performance.now()
    calls.push({ began, response: await use() })
  }
  let endedAt = Number.POSITIVE_INFINITY
  const ending = async () => {
    await callOnce()
    await end()
    endedAt = performance.now()
  }
  const chain = async () => {
    for (let n = 0; n < ROUNDS; n++) await callOnce()
  }
  await Promise.all([ending(), atOnce(chain)])
  await atOnce(callOnce)
  const late = calls.filter(({ began }) => began > endedAt)
  return {
    statuses: calls.map(({ response }) => response.status),
    late: late.map(({ response }) => response.status),
  }
}

it.each<[name: string, status: number, end: (operator: Operator, reg: string) => Promise<ApiResponse>]>([
  [
    'with a key that starts after the response to its revocation',
    401,
    async ({ id, token }) => {
      const [key] = await sql('select id from api_keys where operator_id = $1', [id])
      return api('DELETE', `/operators/me/api-keys/${key?.id}`, { token })
    },
  ],
  [
    'of an agent that starts after the response to its deactivation',
    410,
    ({ token }, reg) => api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } }),
  ],
])('stores no report %s', async (_, status, end) => {
  const { operator, reg, key } = await tirelessReporter(h)
  const report = () =>
    api('POST', '/activity/report', { token: key, body: { reg, event_type: 'task_completed' } })
  const { statuses, late } = await callsDuring(report, async () => {
    expect((await end(operator, reg)).status).toBe(200)
  })
  expect(late.length).toBeGreaterThanOrEqual(WRITERS)
  expect(new Set(late)).toEqual(new Set([status]))
  for (const one of statuses) expect([201, status]).toContain(one)
  expect(await logOf(h, reg)).toHaveLength(statuses.filter((one) => one === 201).length)
})

it.each<[name: string, end: (token: string, other: string) => Promise<ApiResponse>]>([
  ['sign-out', (token) => api('DELETE', '/auth/session', { token })],
  [
    'revocation by another session',
    (token, other) => api('DELETE', `/auth/sessions/${token.slice(9, 17)}`, { token: other }),
  ],
])('rejects requests with a session that start after the response to %s', async (_, end) => {
  const { token, email } = await newOperator()
  const { token: other } = await newOperator({ email })
  const { statuses, late } = await callsDuring(
    () => api('GET', '/operators/me', { token }),
    async () => expect((await end(token, other)).status).toBe(204),
  )
  expect(late.length).toBeGreaterThanOrEqual(WRITERS)
  expect(new Set(late)).toEqual(new Set([401]))
  for (const status of statuses) expect([200, 401]).toContain(status)
  expect((await api('GET', '/operators/me', { token: other })).status).toBe(200)
})

it('changes no API key that is revoked meanwhile', async () => {
  const operator = await newOperator()
  const { id } = await h.newKey(operator)
  const held = await holdOpen(h, 'update api_keys set revoked_at = now() where id = $1', [id])
  const call = { token: operator.token, body: { name: 'late' } }
  const changing = api('PATCH', `/operators/me/api-keys/${id}`, call)
  await held.isWaitedFor()
  await held.commit()
  expectError(await changing, 409, 'CONFLICT', /is revoked/)
})

it('signs no attempt with a secret that was rotated before the attempt started', async () => {
  await using integration = await newIntegration(h)
  const { operator, platform, receiver } = integration
  const queued = await queueDeliveries(h, platform.slug, { count: WRITERS * ROUNDS })

  /** The secrets in order, each with the time from which it is the newest. */
  const secrets = [{ secret: platform.webhook_secret as string, since: 0 }]
  const rotating = async () => {
    for (let n = 0; n < WRITERS; n++) {
      const response = await api('POST', `/platforms/${platform.slug}/webhook-secret`, {
        token: operator.token,
      })
      expect(response.status).toBe(200)
      secrets.push({ secret: response.body.webhook_secret, since: performance.now() })
    }
  }
  const began = new Map<string, number>()
  const delivering = async () => {
    for (let one = queued.pop(); one; one = queued.pop()) {
      began.set(one.event_id, performance.now())
      expect((await askRelay(h, one.id, 1)).status).toBe(200)
    }
  }
  await Promise.all([rotating(), atOnce(delivering)])

  expect(receiver.received).toHaveLength(WRITERS * ROUNDS)
  for (const webhook of receiver.received) {
    const signed = `${webhook.headers['x-reg-timestamp']}.${webhook.raw}`
    const used = secrets.findIndex(
      ({ secret }) =>
        webhook.headers['x-reg-signature'] ===
        `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`,
    )
    const start = began.get(webhook.event.id) ?? 0
    expect(used).toBeGreaterThanOrEqual(secrets.findLastIndex(({ since }) => since <= start))
    expect(acceptedWith(webhook, secrets[used]?.secret ?? '', new Date())).toBe(true)
  }
})
