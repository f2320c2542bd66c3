import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { remoteKeys, verifyToken } from '@agentreg/verify'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, it } from 'vitest'
import { LOG_FILE } from '../../local/worker.ts'
import { makeTokenKey } from '../../src/transparency/token.ts'
import { expectRejection } from '../support/contract.ts'
import { unknownReg } from '../support/fill.ts'
import { expectError, freshIp, shared } from '../support/harness.ts'
import { expectNoReceipt, tokenParts } from '../support/verification-token.ts'
import { settingsOf } from '../support/worker-settings.ts'

const JWKS = '//.well-known/jwks.json'
const DAY_SECONDS = 86_400

const h = shared()
const { api } = h
const secrets: Record<string, string>[] = JSON.parse(settingsOf(h.dir).TOKEN_KEYS ?? '')
const privateParts = secrets.map(({ d = '' }) => d)

const newAgent = async (): Promise<string> => (await h.newAgent(await h.newOperator())).reg
const tokenFrom = async (at: { api: typeof api }, reg: string, now = new Date()): Promise<string> =>
  (await at.api('GET', `/verify/${reg}/token`, { now })).body.token

describe('the published keys', () => {
  it('are exactly the public keys of the token keys, whatever query and headers', async () => {
    const { status, headers, text, body } = await api('GET', JWKS)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(body).toEqual({
      keys: await Promise.all(
        secrets.map(async ({ x = '', y = '' }) => {
          const key = { crv: 'P-256', kty: 'EC', x, y }
          return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg: 'ES256' }
        }),
      ),
    })
    expect(privateParts.filter((d) => text.includes(d))).toEqual([])
    const { token } = await h.newOperator()
    const odd = await api('GET', `${JWKS}?private=true&kid=x`, { token, headers: { Accept: 'text/html' } })
    expect(odd.text).toBe(text)
  })

  it('can be read from any origin, and cached for ten minutes', async () => {
    const first = await api('GET', JWKS)
    expect(first.headers.get('cache-control')).toBe('public, max-age=600')
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    const etag = first.headers.get('etag') ?? ''
    const again = await api('GET', JWKS, { headers: { 'If-None-Match': etag } })
    expect([again.status, again.text, again.headers.get('cache-control')]).toEqual([
      304,
      '',
      'public, max-age=600',
    ])
    const head = await api('HEAD', JWKS)
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
    const preflight = await api('OPTIONS', JWKS, { headers: { Origin: 'https://page.example' } })
    expect(preflight.status).toBe(204)
  })

  it('have a separate rate limit of 600 requests per minute', async () => {
    const ip = freshIp()
    const { headers } = await api('GET', JWKS, { ip })
    const count = (name: string) => headers.get(`x-ratelimit-${name}`)
    expect([count('limit'), count('remaining')]).toEqual(['600', '599'])
    const other = await api('GET', `/agents/${unknownReg()}`, { ip })
    expect(other.headers.get('x-ratelimit-remaining')).toBe('119')
  })

  it('are served only at this path, for GET and HEAD', async () => {
    const rejected = await api('POST', JWKS, { body: {} })
    expectRejection(rejected, 405, 'METHOD_NOT_ALLOWED')
    expect(rejected.headers.get('allow')).toBe('GET, HEAD')
    for (const path of ['//.well-known/jwks.json/', '//.well-known/openid-configuration', '//jwks.json'])
      expectError(await api('GET', path), 404, 'NOT_FOUND')
  })
})

it('a registry without token keys returns 404 for every token, and signs no receipts', async () => {
  const site = await h.variant({ TOKEN_KEYS: undefined })
  try {
    const keys = await site.api('GET', JWKS)
    expect([keys.status, keys.body]).toEqual([200, { keys: [] }])
    for (const reg of [await newAgent(), unknownReg()]) {
      const reply = await site.api('GET', `/verify/${reg}/token`)
      expectRejection(reply, 404, 'NOT_FOUND', /^this registry does not sign verification tokens$/)
      expect(reply.headers.get('cache-control')).toMatch(/no-store/)
    }
    await expectNoReceipt(site, h)
  } finally {
    await site.stop()
  }
})

it('a mismatched key pair is named only in the log, without its value, and signs nothing', async () => {
  const reg = await newAgent()
  const d = JSON.parse(await makeTokenKey()).d as string
  const site = await h.variant({ TOKEN_KEYS: JSON.stringify([...secrets, { ...secrets[0], x: d, d }]) })
  try {
    for (const path of ['/.well-known/jwks.json', `/api/v1/verify/${reg}/token`]) {
      const response = await fetch(site.url + path)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        500,
        expect.stringContaining('no-store'),
      ])
      expect(await response.text()).not.toContain('TOKEN_KEYS')
    }
    expect((await site.api('GET', `/verify/${reg}`)).status).toBe(200)
    const logged = async () => {
      const files = (await readdir(h.dir, { recursive: true })).filter((file) => file.endsWith(LOG_FILE))
      return (await Promise.all(files.map((file) => readFile(join(h.dir, file), 'utf8')))).join('')
    }
    const named = `TOKEN_KEYS.${secrets.length}: d must be the private half of x and y`
    await expect.poll(logged).toContain(named)
    const text = await logged()
    for (const secret of [d, ...privateParts]) expect(text.includes(secret)).toBe(false)
  } finally {
    await site.stop()
  }
})

it('a token of another registry is rejected, even with the same keys', async () => {
  const reg = await newAgent()
  const [stranger, twin] = await Promise.all([
    h.variant({ TOKEN_KEYS: `[${await makeTokenKey()}]` }),
    h.variant({ BASE_URL: 'http://127.0.0.1:9/' }),
  ])
  try {
    const keys = remoteKeys(h.base_url)
    const reasonOf = async (token: string) => (await verifyToken(token, { issuer: h.base_url, keys })).reason
    expect(await reasonOf(await tokenFrom(h, reg))).toBeNull()
    expect(await reasonOf(await tokenFrom(stranger, reg))).toBe('unknown_key')
    const other = await tokenFrom(twin, reg)
    expect(tokenParts(other).claims.iss).toBe('http://127.0.0.1:9')
    expect(await reasonOf(other)).toBe('wrong_issuer')
  } finally {
    await Promise.all([stranger.stop(), twin.stop()])
  }
})

it('during a rotation in three steps, verifiers that cache keys accept every valid token', async () => {
  const reg = await newAgent()
  const [old, next] = await Promise.all([makeTokenKey(), makeTokenKey()])
  const start = (...keys: string[]) => h.variant({ TOKEN_KEYS: `[${keys}]` })
  const sites = await Promise.all([start(old), start(old, next), start(next, old), start(next)])
  const [before, both, moved, after] = sites
  try {
    const startMs = Date.now()
    let at = 0
    let site = before
    const keys = remoteKeys(h.base_url, {
      fetch: (url, init) => fetch(url.replace(h.base_url, site.url), init),
      clock: () => startMs + 1000 * at,
    })
    const issued: { token: string; until: number }[] = []
    const issueAndVerify = async (to: typeof site, seconds: number) => {
      site = to
      at = seconds
      const now = new Date(startMs + 1000 * at)
      issued.push({ token: await tokenFrom(site, reg, now), until: at + 900 - 60 })
      const valid = issued.filter(({ until }) => until > at)
      const reasons = await Promise.all(
        valid.map(async ({ token }) => (await verifyToken(token, { issuer: h.base_url, keys, now })).reason),
      )
      expect(reasons).toEqual(valid.map(() => null))
      return tokenParts(issued.at(-1)?.token ?? '').header.kid
    }
    const first = await issueAndVerify(before, 0)
    for (const seconds of [1, 590, 610, DAY_SECONDS - 1])
      expect(await issueAndVerify(both, seconds)).toBe(first)
    const second = await issueAndVerify(moved, DAY_SECONDS)
    expect(second).not.toBe(first)
    for (const seconds of [1, 599, 3_599])
      expect(await issueAndVerify(moved, DAY_SECONDS + seconds)).toBe(second)
    for (const seconds of [3_600, 4_200])
      expect(await issueAndVerify(after, DAY_SECONDS + seconds)).toBe(second)
    const removed = issued[0]?.token ?? ''
    const { reason } = await verifyToken(removed, { issuer: h.base_url, keys, now: new Date(startMs) })
    expect(reason).toBe('unknown_key')
  } finally {
    await Promise.all(sites.map((one) => one.stop()))
  }
})
