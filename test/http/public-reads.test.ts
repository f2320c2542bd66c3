import { describe, expect, it, vi } from 'vitest'
import { expectHeaders, expectRejection } from '../support/contract.ts'
import { unknownReg } from '../support/fill.ts'
import { type ApiResponse, expectError, freshIp, shared } from '../support/harness.ts'
import { withinOneMinute } from '../support/minute.ts'
import { navigate } from '../support/navigate.ts'

const PUBLIC_LIMIT = 120
const OPENAPI = '//api/v1/openapi.json'
const UNKNOWN = '/agents/REG-1999-0001-0042-4'

const h = shared()
const { api, sql, newOperator, newKey, newAgent, newPlatform } = h
vi.setConfig({ testTimeout: 400_000 }) // some tests wait for the next minute

const get = (path: string, token?: string, headers: Record<string, string> = {}, ip = freshIp()) =>
  api('GET', path, { ip, headers, ...(token && { token }) })
const cacheControl = ({ headers }: ApiResponse) => headers.get('cache-control')
const limitOf = ({ headers }: ApiResponse) => Number(headers.get('x-ratelimit-limit'))

/** An operator's key that has no permission that a read needs, with a limit. */
async function keyWithLimit(limit: number): Promise<string> {
  const key = await newKey(await newOperator({ tier: 'enterprise' }), ['activity:report'])
  await sql('update api_keys set rate_limit_per_minute = $1 where id = $2', [limit, key.id])
  return key.key
}

describe('a public read with a credential', () => {
  it('is counted by the limit of the key, whatever its permissions, and not by the IP address', async () => {
    const { caller: ip } = await withinOneMinute(freshIp, PUBLIC_LIMIT + 2, (ip) =>
      get(UNKNOWN, undefined, {}, ip),
    )
    expect((await get(UNKNOWN, undefined, {}, ip)).status).toBe(429)
    const key = await keyWithLimit(10_000)
    const responses = await Promise.all(
      Array.from({ length: PUBLIC_LIMIT + 30 }, () => get(UNKNOWN, key, {}, ip)),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]))
    expect(new Set(responses.map(limitOf))).toEqual(new Set([10_000]))
  })

  it('has at least the public limit: 120 for a key with a limit of 1, whose other requests keep that limit', async () => {
    const { caller, responses } = await withinOneMinute(
      () => keyWithLimit(1),
      PUBLIC_LIMIT + 3,
      (key) => get(UNKNOWN, key),
    )
    const rejected = responses.filter(({ status }) => status === 429)
    expect(rejected).toHaveLength(3)
    for (const response of rejected) expectRejection(response, 429, 'RATE_LIMITED', /limit of 120 /)
    for (const response of responses) expectHeaders(response)
    const body = { reg: unknownReg(), event_type: 'x' }
    const report = await api('POST', '/activity/report', { token: caller, body })
    expectError(report, 429, 'RATE_LIMITED', /limit of 1 /)
  })

  it('shows the public view to the session, keys, and platform keys of others, and is never cached', async () => {
    const [owner, stranger] = [await newOperator(), await newOperator()]
    const { reg } = await newAgent(owner)
    const { slug } = await newPlatform(stranger)
    const keys = [await newKey(stranger, ['read']), await h.newPlatformKey(stranger, slug)]
    const tokens = [stranger.token, ...keys.map(({ key }) => key)]
    for (const path of [`/agents/${reg}`, `/agents/${reg}/activity`, `/operators/${owner.id}`, OPENAPI]) {
      const { body, headers } = await get(path)
      expect(headers.get('cache-control')).toBe('public, max-age=10')
      for (const token of tokens) {
        const seen = await get(path, token, { 'If-None-Match': headers.get('etag') ?? '' })
        expect([seen.status, seen.body, cacheControl(seen)]).toEqual([200, body, 'private, no-store'])
      }
    }
  })

  it('shows the public view to a suspended operator, also of what is its own', async () => {
    const operator = await newOperator()
    const [{ reg }, { slug }, { key }] = [
      await newAgent(operator),
      await newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/hook' }),
      await newKey(operator, ['read']),
    ]
    await h.suspend(operator)
    for (const path of [
      `/agents/${reg}`,
      `/agents/${reg}/activity`,
      `/platforms/${slug}`,
      `/verify/${reg}`,
    ]) {
      const { checked_at: _, ...open } = (await get(path)).body
      for (const token of [operator.token, key]) {
        const seen = await get(path, token)
        expect([seen.status, cacheControl(seen)]).toEqual([200, 'private, no-store'])
        const { checked_at, ...shown } = seen.body
        expect(shown).toEqual(open)
      }
    }
    expect((await get('/operators/me', operator.token)).status).toBe(403)
  })

  it('is rejected with two Authorization headers, whichever is valid', async () => {
    const { token } = await newOperator()
    const [valid, other] = [`Bearer ${token}`, 'Bearer nonsense']
    for (const both of [
      [valid, valid],
      [valid, other],
      [other, valid],
      ['Bearer', valid],
    ]) {
      const headers = { Authorization: both, 'CF-Connecting-IP': freshIp() }
      expect((await navigate(`${h.base_url}/api/v1${UNKNOWN}`, { headers })).status).toBe(401)
    }
  })
})
