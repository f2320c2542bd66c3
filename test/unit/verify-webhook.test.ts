import { verifyWebhook } from '@agentreg/webhooks'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import { signatureHeaders } from '../../src/lib/webhook-signature.ts'
import vectors from '../vectors/webhooks.json' with { type: 'json' }

type Vector = (typeof vectors.cases)[number]
const cases = vectors.cases
const genuine = cases.filter(({ reason }) => reason === null)
const [valid] = genuine
if (!valid) throw new Error('no valid vector')

const headersOf = ({ headers }: Vector) => headers as Record<string, string>
const optionsOf = ({ now, toleranceSeconds }: Vector) => ({
  now: new Date(now * 1000),
  ...(toleranceSeconds !== undefined && { toleranceSeconds }),
})
const expected = ({ reason, body }: Vector) => ({ event: reason ? null : JSON.parse(body), reason })

const verify = (vector: Vector, headers: Parameters<typeof verifyWebhook>[1] = headersOf(vector)) =>
  verifyWebhook(vector.secret, headers, vector.body, optionsOf(vector))

describe('verifyWebhook', () => {
  it.each(cases)('$name: $reason', async (vector) => {
    expect(await verify(vector)).toEqual(expected(vector))
    expect(await verify(vector, new Headers(headersOf(vector)))).toEqual(expected(vector))
    const bytes = new TextEncoder().encode(vector.body)
    expect(await verifyWebhook(vector.secret, headersOf(vector), bytes, optionsOf(vector))).toEqual(
      expected(vector),
    )
  })

  it('reads headers in the form of Node, and rejects repeated ones', async () => {
    const headers = Object.entries(headersOf(valid)).map(([name, value]) => [name.toLowerCase(), value])
    const lists = headers.map(([name, value]) => [name, [value]])
    expect(await verify(valid, Object.fromEntries(lists))).toEqual(expected(valid))
    const twice = headers.map(([name, value]) => [name, [value, value]])
    expect(await verify(valid, Object.fromEntries(twice))).toEqual({
      event: null,
      reason: 'malformed_header',
    })
    const absent = { 'x-reg-signature': undefined, 'x-reg-timestamp': undefined }
    expect(await verify(valid, absent)).toEqual({ event: null, reason: 'missing_header' })
  })

  it('uses the current time by default, with a tolerance of five minutes', async () => {
    const sentAt = Number(headersOf(valid)['X-REG-Timestamp']) * 1000
    vi.useFakeTimers({ toFake: ['Date'] })
    const reasonAt = async (ms: number) => {
      vi.setSystemTime(sentAt + ms)
      return (await verifyWebhook(valid.secret, headersOf(valid), valid.body)).reason
    }
    try {
      expect(await reasonAt(300_000)).toBeNull()
      expect(await reasonAt(300_001)).toBe('timestamp_too_old')
      expect(await reasonAt(-300_000)).toBeNull()
      expect(await reasonAt(-300_001)).toBe('timestamp_too_new')
    } finally {
      vi.useRealTimers()
    }
  })

  it('rejects everything if the given time or tolerance is NaN', async () => {
    const at = (options: object) => verifyWebhook(valid.secret, headersOf(valid), valid.body, options)
    const { now } = optionsOf(valid)
    expect((await at({ now: new Date(Number.NaN) })).event).toBeNull()
    expect((await at({ now, toleranceSeconds: Number.NaN })).event).toBeNull()
  })

  it.each([
    ['no secret', undefined],
    ['an empty secret', ''],
    ['a secret without its prefix', valid.secret.slice(6)],
    ['an empty list', []],
    ['a list with a gap', [valid.secret, undefined]],
  ])('throws for %s', async (_, secret) => {
    const call = verifyWebhook(secret as string, headersOf(valid), valid.body, optionsOf(valid))
    await expect(call).rejects.toThrow(/^secret: must be the whsec_… text/)
  })

  it('throws for a parsed body', async () => {
    const parsed = JSON.parse(valid.body)
    const call = verifyWebhook(valid.secret, headersOf(valid), parsed, optionsOf(valid))
    await expect(call).rejects.toThrow(/^rawBody: must be the body as it came/)
  })
})

it('the vectors have the signatures that this service makes, also for Standard Webhooks', async () => {
  const { id, type } = JSON.parse(valid.body)
  const now = new Date(valid.now * 1000)
  const sent = await signatureHeaders([valid.secret as string], { id, type }, valid.body, now)
  const { 'webhook-id': event_id, 'webhook-signature': signature } = vectors.standard
  expect(sent).toEqual({
    ...headersOf(valid),
    'webhook-id': event_id,
    'webhook-timestamp': String(valid.now),
    'webhook-signature': signature,
  })
  vi.useFakeTimers({ toFake: ['Date'], now })
  try {
    expect(new Webhook(valid.secret as string).verify(valid.body, sent)).toEqual(JSON.parse(valid.body))
  } finally {
    vi.useRealTimers()
  }
})
