import { createClient, RegistryError, type Schemas, unwrap } from '@agentreg/client'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { KEYED_PATHS } from '../../packages/client/retry.ts'
import { buildDocument } from '../../scripts/document/build.ts'

const BUSY = { error: { code: 'RATE_LIMITED', message: 'slow down', status: 429 } }
const AGENT = { body: { name: 'Scout', class: 'A' } } as const
const SCOUT = { reg: 'REG-2026-0001-0042-U', name: 'Scout' }
const NOW = new Date('2026-11-20T10:00:00.000Z')

beforeEach(() => vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => vi.useRealTimers())

type Step = Response | Error | 'silence'

/** A client whose requests get these outcomes in turn; the last one repeats. */
function clientOf(steps: Step[], options: Partial<Parameters<typeof createClient>[0]> = {}) {
  const seen: { at: number; key: string | null; body: string; url: string; credential: string | null }[] = []
  const client = createClient({
    baseUrl: 'https://registry.example/',
    ...options,
    fetch: async (request) => {
      const step = steps[Math.min(seen.length, steps.length - 1)]
      const { url, headers } = request
      const [key, credential] = [headers.get('idempotency-key'), headers.get('authorization')]
      seen.push({ at: Date.now() - NOW.getTime(), key, body: await request.text(), url, credential })
      if (step instanceof Error) throw step
      if (step instanceof Response) return step.clone()
      return new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      )
    },
  })
  return { client, seen }
}

const busy = (status: number, retryAfter?: string) =>
  Response.json(BUSY, { status, ...(retryAfter && { headers: { 'Retry-After': retryAfter } }) })
const fine = (body: unknown = { data: [] }) => Response.json(body)

/** The result or error of a call, with the fake clock advanced through all its waits. */
async function settled<T>(call: Promise<T>) {
  let isOver = false
  const outcome = call
    .then(
      (value) => ({ value, error: null }),
      (error: unknown) => ({ value: null, error }),
    )
    .finally(() => {
      isOver = true
    })
  while (!isOver) await vi.advanceTimersByTimeAsync(100)
  return outcome
}

describe('the generated client', () => {
  it('calls a path with its parameters and returns the response as data', async () => {
    const { client, seen } = clientOf([fine(SCOUT)])
    const { data, error } = await client.GET('/agents/{reg}', { params: { path: { reg: SCOUT.reg } } })
    expect(error).toBeUndefined()
    expect(data?.name).toBe('Scout')
    const url = 'https://registry.example/api/v1/agents/REG-2026-0001-0042-U'
    expect(seen).toMatchObject([{ url, credential: null }])
  })

  it('calls the token function for each request', async () => {
    let requested = 0
    const { client, seen } = clientOf([fine()], { token: async () => `token-${++requested}` })
    await client.GET('/operators/me/api-keys')
    await client.GET('/operators/me/api-keys')
    expect(seen.map(({ credential }) => credential)).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it('returns an error of the service as a value, typed with the codes of its route', async () => {
    const rejection = { error: { code: 'AGENT_LIMIT_REACHED', message: 'full', status: 402 } }
    const { client } = clientOf([Response.json(rejection, { status: 402 })])
    const { data, error, response } = await client.POST('/agents', AGENT)
    expect(data).toBeUndefined()
    expect(response.status).toBe(402)
    expect(error?.error.code === 'AGENT_LIMIT_REACHED' && error.error.status).toBe(402)
    // @ts-expect-error: no route returns such a code
    expect(error?.error.code === 'TEAPOT').toBe(false)
  })
})

it('distinguishes the shapes of a trust score, a challenge, and an event by one field', () => {
  const score = {} as Schemas['AnyTrustScore']
  // @ts-expect-error: not every shape has a score
  void score.overall
  if (!('status' in score)) expectTypeOf(score.overall).toBeNumber()
  if ('weights' in score) expectTypeOf(score.weights.accuracy).toBeNumber()
  const challenge = {} as Schemas['OwnershipChallenge']
  // @ts-expect-error: the proof by a file has no record
  void challenge.record_name
  if (challenge.method === 'dns') expectTypeOf(challenge.record_name).toBeString()
  type Event = Schemas['WebhookEvent']
  expectTypeOf<Extract<Event, { type: 'trust.updated' }>['data']['new_score']>().toBeNumber()
  expectTypeOf<Extract<Event, { type: 'operator.kyc_verified' }>['data']['regs']>().toEqualTypeOf<string[]>()
  expectTypeOf<Extract<Event, { type: 'incident.resolved' }>['data']['resolution']>().toBeString()
})

describe('a request that was not served', () => {
  it.each([
    [429, '7', 7_000],
    [503, 'Fri, 20 Nov 2026 10:00:09 GMT', 9_000],
  ])('is sent again after %i with Retry-After: %s', async (status, retryAfter, wait) => {
    const { client, seen } = clientOf([busy(status, retryAfter), fine()])
    expect((await settled(client.GET('/agents/search'))).value?.response.status).toBe(200)
    expect(seen.map(({ at }) => at)).toEqual([0, wait])
  })

  it('is sent at most three times, or as often as maxRetries allows', async () => {
    for (const [maxRetries, sent] of [
      [undefined, 3],
      [0, 1],
      [4, 5],
    ] as const) {
      const { client, seen } = clientOf([busy(503)], maxRetries === undefined ? {} : { maxRetries })
      const { value } = await settled(client.GET('/agents/search'))
      expect(value?.error?.error.code).toBe('RATE_LIMITED')
      expect(seen).toHaveLength(sent)
    }
  })

  it('is not sent again when Retry-After is more than a minute', async () => {
    const { client, seen } = clientOf([busy(429, '61')])
    expect((await settled(client.GET('/agents/search'))).value?.response.status).toBe(429)
    expect(seen).toHaveLength(1)
  })

  it('is sent again with the same Idempotency-Key and body', async () => {
    const { client, seen } = clientOf([new TypeError('reset'), busy(503), fine({ reg: 'REG' })])
    expect((await settled(client.POST('/agents', AGENT))).value?.data?.reg).toBe('REG')
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
    expect(seen[0]?.key).toMatch(/^[\da-f-]{36}$/)
    expect(seen.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify(AGENT.body)))
    await settled(client.POST('/agents', AGENT))
    expect(seen.at(-1)?.key).not.toBe(seen[0]?.key)
  })

  it('keeps the Idempotency-Key of the caller', async () => {
    const { client, seen } = clientOf([busy(429), fine()])
    const headers = { 'Idempotency-Key': 'mine' }
    await settled(client.POST('/agents', { ...AGENT, headers }))
    expect(seen.map(({ key }) => key)).toEqual(['mine', 'mine'])
  })

  it('is not sent again after a 503 or network failure when that could repeat a write', async () => {
    const write = { body: { name: 'reporter', permissions: ['read' as const] } }
    for (const step of [busy(503), new TypeError('reset')]) {
      const { client, seen } = clientOf([step])
      await settled(client.POST('/operators/me/api-keys', write))
      expect(seen).toMatchObject([{ key: null }])
    }
    const { client, seen } = clientOf([busy(429), fine()])
    await settled(client.POST('/operators/me/api-keys', write))
    expect(seen).toHaveLength(2)
  })

  it('fails after the timeout of its last attempt', async () => {
    const { client, seen } = clientOf(['silence'], { timeoutMs: 1_000 })
    expect((await settled(client.GET('/agents/search'))).error).toMatchObject({ name: 'TimeoutError' })
    expect(seen).toHaveLength(3)
  })

  it('fails at once when the caller aborts, also while waiting to retry', async () => {
    for (const step of ['silence', busy(429, '30')] as const) {
      const { client, seen } = clientOf([step])
      const control = new AbortController()
      setTimeout(() => control.abort(new Error('enough')), 500)
      const { error } = await settled(client.GET('/agents/search', { signal: control.signal }))
      expect(error).toMatchObject({ message: 'enough' })
      expect(seen).toHaveLength(1)
    }
  })
})

describe('paginate', () => {
  const collect = async (items: AsyncIterable<unknown>) => {
    const all: unknown[] = []
    for await (const item of items) all.push(item)
    return all
  }

  it('walks a list by page number or cursor to its end, and keeps the query', async () => {
    const urls: string[] = []
    const clientOfPages = (page: (n: number) => object) =>
      createClient({
        baseUrl: 'https://registry.example',
        fetch: async ({ url }) => fine({ data: [urls.push(new URL(url).search)], ...page(urls.length) }),
      })
    const byNumber = clientOfPages((page) => ({ pagination: { page, total_pages: 3 } }))
    const found = byNumber.paginate('/agents/search', { params: { query: { q: 'scout' } } })
    expect(await collect(found)).toEqual([1, 2, 3])
    const byCursor = clientOfPages((n) => ({ next_cursor: n === 4 ? 'a' : null }))
    const path = { path: { reg: 'REG-2026-0001-0042-U' } }
    expect(await collect(byCursor.paginate('/agents/{reg}/log-entries', { params: path }))).toEqual([4, 5])
    expect(urls).toEqual(['?q=scout', '?q=scout&page=2', '?q=scout&page=3', '', '?cursor=a'])
  })

  it('throws the error of a page with its code', async () => {
    const { client } = clientOf([busy(400)])
    const error = await collect(client.paginate('/agents/search')).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(RegistryError)
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 400, message: 'RATE_LIMITED: slow down' })
  })

  it('accepts only paths of lists', () => {
    const { client } = clientOf([fine()])
    // @ts-expect-error: an agent is not a list
    client.paginate('/agents/{reg}', { params: { path: { reg: 'REG-2026-0001-0042-U' } } })
    // @ts-expect-error: the number is missing
    client.paginate('/agents/{reg}/activity')
  })
})

it('unwraps data, and throws for a response that does not come from the service', async () => {
  const { client } = clientOf([fine({ reg: 'REG' })])
  expect(await unwrap(client.POST('/agents', AGENT))).toEqual({ reg: 'REG' })
  const { client: other } = clientOf([new Response('<html>', { status: 502 })])
  await expect(unwrap(other.GET('/agents/search'))).rejects.toMatchObject({ code: null, status: 502 })
})

it('adds an Idempotency-Key to exactly the writes that accept one', () => {
  const { paths } = buildDocument('https://registry.example')
  const takesKey = (item: object) => JSON.stringify(item).toLowerCase().includes('"name":"idempotency-key"')
  const keyed = Object.keys(paths).filter((path) => takesKey(paths[path] ?? {}))
  expect(keyed.sort()).toEqual([...KEYED_PATHS].sort())
})
