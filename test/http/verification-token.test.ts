import { isDeepStrictEqual } from 'node:util'
import { remoteKeys, verifyToken } from '@agentreg/verify'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { makeTokenKey } from '../../src/transparency/token.ts'
import { expectRejection } from '../support/contract.ts'
import { unknownReg } from '../support/fill.ts'
import { freshIp, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { expectNoReceipt, tokenParts } from '../support/verification-token.ts'
import { settingsOf } from '../support/worker-settings.ts'

const JWKS = '//.well-known/jwks.json'
const TRIES = 5

const h = shared()
const { api, newOperator, newAgent } = h
const issuer = h.base_url
const keys = remoteKeys(issuer)
const secrets: Record<string, string>[] = JSON.parse(settingsOf(h.dir).TOKEN_KEYS ?? '')
const privateParts = secrets.map(({ d = '' }) => d)
const minute = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS)
const now = new Date(minute.getTime() + 20_000)

const tokenOf = (reg: string, at = now, headers: Record<string, string> = {}) =>
  api('GET', `/verify/${reg}/token`, { now: at, headers })
const read = async (token: string, at = now) => verifyToken(token, { issuer, keys, now: at })
const etagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? ''

describe('a verification token', () => {
  it('contains the quick verification of its minute, and is valid for 15 minutes', async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator, { name: 'Übersetzer 🤖' })
    const { body: verification } = await api('GET', `/verify/${reg}`, { now })
    const { status, body } = await tokenOf(reg)
    const expires = new Date(minute.getTime() + 15 * MINUTE_MS)
    expect({ status, body }).toEqual({
      status: 200,
      body: { token: expect.any(String), expires_at: expires.toISOString() },
    })
    const { header, claims } = tokenParts(body.token)
    const { keys: published } = (await api('GET', JWKS)).body
    expect(header).toEqual({ alg: 'ES256', typ: 'agent-verification+jwt', kid: published[0].kid })
    const { log, ...rest } = claims
    const stated = { ...verification, checked_at: minute.toISOString() }
    const [iat, exp] = [minute, expires].map((time) => time.getTime() / 1000)
    expect(rest).toEqual({ iss: issuer, sub: reg, iat, exp, verification: stated })
    expect(await read(body.token)).toEqual({ verification: stated, log: log ?? null, reason: null })
    expect((await read(body.token, new Date(expires.getTime() + MINUTE_MS))).reason).toBe('expired')
    const path = `/verify/${reg}/token?iss=https://evil.example&exp=9999999999`
    const odd = await api('GET', path, { now, token: operator.token, headers: { Host: 'evil.example' } })
    expect(tokenParts(odd.body.token).claims).toMatchObject(rest)
  })

  it('is within the size limit of verifiers even with the longest texts', async () => {
    const operator = await newOperator()
    const name = '🤖'.repeat(255)
    await api('PATCH', '/operators/me', { token: operator.token, body: { name } })
    const { reg } = await newAgent(operator, { name })
    const { verification } = await read((await tokenOf(reg)).body.token)
    expect(verification).toMatchObject({ reg, name, operator_name: name })
  })

  it('has the same ETag for a minute', async () => {
    const { operator, reg } = await h.newReporter()
    const later = new Date(now.getTime() + 10_000)
    const rootNow = async () => tokenParts((await tokenOf(reg)).body.token).claims.log?.root
    let etag = ''
    // The cron of another test can sign a new head of the log meanwhile.
    for (let tries = 1, root = ''; tries <= TRIES && root !== (await rootNow()); tries++) {
      root = await rootNow()
      const [one, second] = [await tokenOf(reg), await tokenOf(reg, later)]
      etag = etagOf(one)
      const kept = await tokenOf(reg, later, { 'If-None-Match': etag })
      if (root !== (await rootNow())) continue
      expect(second.body.token).not.toBe(one.body.token) // the signature differs each time
      expect([etagOf(second), kept.status]).toEqual([etag, 304])
    }
    const next = await tokenOf(reg, new Date(now.getTime() + MINUTE_MS), { 'If-None-Match': etag })
    expect([next.status, etagOf(next) === etag]).toEqual([200, false])
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'Renamed' } })
    expect((await tokenOf(reg, later, { 'If-None-Match': etag })).status).toBe(200)
  })

  it('contains the newest signed head of the log', async () => {
    const { reg } = await newAgent(await newOperator())
    await untilLogged(h, reg)
    const newest = async () => {
      const [origin, size, root] = (await api('GET', '//log/checkpoint')).text.split('\n')
      return { origin, size: Number(size), root }
    }
    // Other tests append to the log meanwhile.
    const isNewest = async () => {
      const before = await newest()
      const { log } = tokenParts((await tokenOf(reg)).body.token).claims
      return [before, await newest()].some((head) => isDeepStrictEqual(log, head))
    }
    await expect.poll(isNewest).toBe(true)
  })

  it('contains no log head if there is no log, and no receipt is signed', async () => {
    const { reg } = await newAgent(await newOperator())
    await using site = await h.variant({ LOG_KEY: undefined })
    const { body } = await site.api('GET', `/verify/${reg}/token`)
    expect(Object.keys(tokenParts(body.token).claims)).toEqual(['iss', 'sub', 'iat', 'exp', 'verification'])
    await expectNoReceipt(site, h)
  })
})

it('the published keys are exactly the public keys of the token keys, for everyone, with their own rate limit', async () => {
  const ip = freshIp()
  const first = await api('GET', JWKS, { ip })
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(first.body).toEqual({
    keys: await Promise.all(
      secrets.map(async ({ x = '', y = '' }) => {
        const key = { crv: 'P-256', kty: 'EC', x, y }
        return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg: 'ES256' }
      }),
    ),
  })
  expect(privateParts.filter((d) => first.text.includes(d))).toEqual([])
  const { token } = await newOperator()
  const odd = await api('GET', `${JWKS}?private=true`, { token, headers: { Accept: 'text/html' } })
  expect(odd.text).toBe(first.text)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'cache-control': 'public, max-age=600',
    'access-control-allow-origin': '*',
    'x-ratelimit-limit': '600',
  })
  const kept = await api('GET', JWKS, { headers: { 'If-None-Match': etagOf(first) } })
  expect([kept.status, kept.text]).toEqual([304, ''])
  const other = await api('GET', `/agents/${unknownReg()}`, { ip })
  expect(other.headers.get('x-ratelimit-remaining')).toBe('119')
  expectRejection(await api('POST', JWKS, { body: {} }), 405, 'METHOD_NOT_ALLOWED')
})

it('a registry without token keys returns 404 for every token, and signs no receipts', async () => {
  await using site = await h.variant({ TOKEN_KEYS: undefined })
  expect(await site.api('GET', JWKS)).toMatchObject({ status: 200, body: { keys: [] } })
  for (const reg of [(await newAgent(await newOperator())).reg, unknownReg()]) {
    const reply = await site.api('GET', `/verify/${reg}/token`)
    expectRejection(reply, 404, 'NOT_FOUND', /^this registry does not sign verification tokens$/)
  }
  await expectNoReceipt(site, h)
})

it('a mismatched key pair is named only in the log, without its value, and signs nothing', async () => {
  const { reg } = await newAgent(await newOperator())
  const d = JSON.parse(await makeTokenKey()).d as string
  await using site = await h.variant({ TOKEN_KEYS: JSON.stringify([...secrets, { ...secrets[0], x: d, d }]) })
  for (const path of ['/.well-known/jwks.json', `/api/v1/verify/${reg}/token`]) {
    const response = await fetch(site.url + path)
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      500,
      expect.stringContaining('no-store'),
    ])
    expect(await response.text()).not.toContain('TOKEN_KEYS')
  }
  expect((await site.api('GET', `/verify/${reg}`)).status).toBe(200)
  await expect
    .poll(h.workerLogs)
    .toContain(`TOKEN_KEYS.${secrets.length}: d must be the private half of x and y`)
  const text = h.workerLogs()
  for (const secret of [d, ...privateParts]) expect(text.includes(secret)).toBe(false)
})
