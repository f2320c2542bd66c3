import { beforeAll, describe, expect, it } from 'vitest'
import {
  openCheckpoint,
  openLeaf,
  type Policy,
  parsePolicy,
  verifyProof,
} from '../../packages/verify/index.ts'
import { eventually } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'

const h = shared()
const get = (path: string) => h.api('GET', `//log/${path}`)

let policy: Policy
let reg: string
let key: string

beforeAll(async () => {
  ;({ reg, key } = await h.newReporter())
  await h.report(key, reg, { metadata: { response_ms: 900 } })
  await h.report(key, reg, { event_type: 'incident', severity: 'error', metadata: { title: 'Down' } })
  await untilLogged(h, reg)
  const { body } = await get('info.json')
  policy = await parsePolicy(`${body.vkeys.map((vkey: string) => `log ${vkey}`).join('\n')}\nquorum none`)
})

async function head() {
  const { text } = await get('checkpoint')
  const { checkpoint, reason } = await openCheckpoint(text, policy)
  if (!checkpoint) throw new Error(`${reason}: ${text}`)
  return checkpoint
}

const entries = async (query = '', token?: string): Promise<Body[]> =>
  (await h.api('GET', `/agents/${reg}/log-entries?${query}`, { ...(token && { token }) })).body.data

describe('the log over HTTP', () => {
  it('returns the keys and parameters for its verification', async () => {
    const { body, headers } = await get('info.json')
    const { size, origin } = await head()
    expect(body).toEqual({
      origin: 'localhost/log',
      vkeys: [expect.stringMatching(/^localhost\/log\+[0-9a-f]{8}\+/)],
      witnesses: expect.any(Array),
      merge_delay_seconds: 120,
      size: expect.any(Number),
      mirrors: [],
      keys: expect.any(Array),
      restores: [],
      previous_origins: [],
    })
    expect([body.origin, body.size <= size]).toEqual([origin, true])
    const bundle = (await get(`tile/entries/000.p/${Math.min(body.size, 255)}`)).text
    expect(body.keys.map(({ leaf }: Body) => JSON.parse(leaf).use).sort()).toEqual(['log', 'token'])
    for (const { leaf } of body.keys) expect(bundle).toContain(leaf)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })

  it('serves heads for seconds, and tiles and bundles as immutable, also partial ones', async () => {
    const { headers } = await get('checkpoint')
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('cache-control')).toBe('public, max-age=5')
    const { size } = await head()
    const width = Math.min(size, 256)
    for (const [level, bytes] of [
      ['0', 32 * (width - 1)],
      ['entries', null],
    ] as const) {
      const response = await fetch(`${h.base_url}/log/tile/${level}/000.p/${width - 1}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('content-type')).toBe('application/octet-stream')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('x-ratelimit-limit')).toBe('600')
      if (bytes) expect((await response.arrayBuffer()).byteLength).toBe(bytes)
    }
  })

  it('returns an uncacheable error for what it does not have', async () => {
    const missing = [
      ...['tile/0/999', 'tile/entries/x001/000', 'tile/1/000.p/200', 'tile/63/000.p/1', 'tile/64/000'],
      ...['tile/0/000.p/256', 'tile/0/000.p/0', 'tile/0/x999/x999/x999/x999/x999/999', 'tile/0/000/'],
      ...['proof/99999999', 'proof/999999999999999', 'elsewhere', '2/checkpoint', '2/tile/0/000.p/1'],
    ].map((path) => [path, 404, 'NOT_FOUND'] as const)
    const malformed = ['-1', '1.5', '1e3', 'x', '9'.repeat(400)].map(
      (index) => [`proof/${index}`, 400, 'VALIDATION_ERROR'] as const,
    )
    for (const [path, status, code] of [...missing, ...malformed]) {
      const { body, headers } = await get(path)
      expect([path, body.error.status, body.error.code]).toEqual([path, status, code])
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const { status, headers } = await h.api('POST', '//log/checkpoint')
    expect([status, headers.get('allow'), headers.get('cache-control')]).toEqual([
      405,
      'GET, HEAD',
      'no-store',
    ])
  })

  it('proves the inclusion of each leaf of an agent, and its opening is valid', async () => {
    const listed = await entries()
    expect(listed.map(({ leaf }) => JSON.parse(leaf).kind).sort()).toEqual([
      'agent',
      'event',
      'event',
      'incident',
    ])
    for (const { index, leaf, opening } of listed) {
      const proof = await get(`proof/${index}`)
      expect(proof.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      const { bytes, read, reason } = await verifyProof(proof.text, policy)
      expect([reason, Buffer.from(bytes ?? []).toString()]).toEqual([null, leaf])
      if (!read?.leaf) throw new Error('unreadable')
      const opened = await openLeaf(read.leaf, opening)
      expect(opened.reason).toBe(null)
    }
  })

  it('lists the leaves of an agent by kind and after an event', async () => {
    const all = await entries()
    expect(await entries('kind=event&after=1')).toEqual(all.filter(({ leaf }) => JSON.parse(leaf).seq === 2))
    const { body } = await h.api('GET', `/agents/${reg}/log-entries?cursor=x`)
    expect(body.error.message).toMatch(/^cursor: /)
  })
})

describe('a page of an agent’s leaves', () => {
  const PAGE_BYTES = 1_000_000
  const EVENTS = 60
  const BATCH = 20
  const LARGEST_BYTES = 16_000
  let agent: { reg: string; key: string; token: string }

  beforeAll(async () => {
    const { operator, reg, key } = await h.newReporter()
    agent = { reg, key, token: (await h.newKey(operator, ['read'])).key }
    const metadata = { note: '"'.repeat(LARGEST_BYTES / 2 - 100) } // in JSON twice as long, and again in a page
    for (let n = 0; n < EVENTS / BATCH; n++)
      await h.reportBatch(key, Array(BATCH).fill({ reg, event_type: 'note', metadata }))
    await untilLogged(h, reg)
  })

  const pageOf = (query: string, token?: string) =>
    h.api('GET', `/agents/${agent.reg}/log-entries?${query}`, { ...(token && { token }) })

  it.each([
    ['the public', 'limit=100'],
    ['the operator', 'limit=1000'],
  ])('has at most 1 MB and goes on with its cursor, for %s', async (who, query) => {
    const token = who === 'the operator' ? agent.token : undefined
    const listed: number[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const { text, body } = await pageOf(`${query}&cursor=${encodeURIComponent(cursor)}`, token)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAGE_BYTES)
      listed.push(...body.data.map(({ index }: Body) => index))
      cursor = body.next_cursor
    }
    expect(pages).toBeGreaterThan(1)
    expect(listed).toEqual([...new Set(listed)].toSorted((a, b) => a - b))
    expect(listed).toHaveLength(1 + EVENTS)
  })

  it('has more than 100 entries only for the operator and the platform of the agent', async () => {
    const { operator } = await h.newReporter()
    const foreign = (await h.newKey(operator, ['read'])).key
    await h.reportBatch(agent.key, Array(200).fill({ reg: agent.reg, event_type: 'note' }))
    const sizes = async () => {
      await h.cron()
      const pages = [undefined, foreign, agent.token].map((one) => pageOf(`limit=1000&after=${EVENTS}`, one))
      return (await Promise.all(pages)).map(({ body }) => body.data.length)
    }
    const isLogged = (found: number[]) => (found[0] ?? 0) > 1
    // With the first revision of the agent.
    expect(await eventually(sizes, isLogged)).toEqual([100, 100, 201])
  })
})
