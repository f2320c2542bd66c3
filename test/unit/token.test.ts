import { type JwkSet, remoteKeys, verifyToken } from '@agentreg/verify'
import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import {
  importTokenKeys,
  type PrivateJwk,
  signToken,
  type TokenKey,
  toJwks,
} from '../../src/transparency/token.ts'
import vectors from '../vectors/tokens.json' with { type: 'json' }

const { issuer, iat, jwks, claims, cases, private: privateJwks } = vectors
const TYPE = 'agent-verification+jwt'
const at = (afterSeconds: number) => new Date((iat + afterSeconds) * 1000)
const genuine = cases[0]?.token ?? ''
const importKeys = (jwks: object[]) =>
  importTokenKeys(jwks as PrivateJwk[]) as Promise<[TokenKey, ...TokenKey[]]> // returns one key for each
const ours = importKeys(privateJwks)
const statement = { issuer, verification: claims.verification, log: claims.log }

const reasonOf = async (token: string, keys: JwkSet = jwks, now = at(0)) =>
  (await verifyToken(token, { issuer, keys, now })).reason

describe('verifyToken', () => {
  it.each(cases)('$name: $reason', async ({ token, after_seconds, reason }) => {
    const found = await verifyToken(token, { issuer, keys: jwks, now: at(after_seconds) })
    expect(found.reason).toBe(reason)
    expect(found.verification).toEqual(reason === null ? claims.verification : null)
    if (reason !== null) expect(found.log).toBeNull()
  })

  it('returns the head of the log', async () => {
    const { log } = await verifyToken(genuine, { issuer, keys: jwks, now: at(0) })
    expect(log).toEqual(claims.log)
    const without = cases.find(({ name }) => name === 'genuine, without a log')?.token ?? ''
    expect(await verifyToken(without, { issuer, keys: jwks, now: at(0) })).toMatchObject({
      log: null,
      reason: null,
    })
  })

  it('accepts tokens made by jose', async () => {
    const key = await importJWK({ ...privateJwks[0] }, 'ES256')
    const header = { alg: 'ES256', typ: TYPE, kid: jwks.keys[0]?.kid ?? '' }
    expect(await reasonOf(await new SignJWT(claims).setProtectedHeader(header).sign(key))).toBeNull()
  })

  it('rejects a token of more than 8 KiB unread', async () => {
    const start = `${genuine.slice(0, genuine.indexOf('.'))}.AAAA.` // with it, both lengths are base64url
    const ofLength = (length: number) => start.padEnd(length, 'A')
    expect(await reasonOf(ofLength(8_192))).toBe('bad_signature')
    expect(await reasonOf(ofLength(8_193))).toBe('malformed')
  })

  it('applies the maximum age of the caller', async () => {
    const withAge = (maxAgeSeconds: number, after: number) =>
      verifyToken(genuine, { issuer, keys: jwks, now: at(after), maxAgeSeconds })
    expect((await withAge(120, 179)).reason).toBeNull()
    expect((await withAge(120, 180)).reason).toBe('expired')
    expect((await withAge(0, 59)).reason).toBeNull()
    expect((await withAge(100_000, 960)).reason).toBe('expired')
  })

  it.each([
    ['for another use', { use: 'enc' }],
    ['for another algorithm', { alg: 'ES384' }],
    ['for no algorithm', { alg: undefined }],
    ['of a secret', { kty: 'oct', k: 'AAAA' }],
    ['that is not a point on the curve', { x: 'A'.repeat(43) }],
    ['of another curve', { crv: 'secp256k1' }],
  ])('rejects a key %s', async (_, change) => {
    expect(await reasonOf(genuine, { keys: [{ ...jwks.keys[0], ...change }] })).toBe('unknown_key')
  })

  it('throws for invalid arguments', async () => {
    const call = (options: object) => verifyToken(genuine, { issuer, keys: jwks, ...options })
    await expect(call({ now: new Date(Number.NaN) })).rejects.toThrow(TypeError)
    await expect(call({ now: iat })).rejects.toThrow(new TypeError('now: must be a valid Date'))
    for (const maxAgeSeconds of [Number.NaN, '60', -1])
      await expect(call({ maxAgeSeconds })).rejects.toThrow('maxAgeSeconds: must be a number of seconds')
    await expect(call({ keys: remoteKeys('https://other.example') })).rejects.toThrow(TypeError)
    expect(await call({ issuer: `${issuer}/`, now: new Date(iat * 1000) })).toMatchObject({ reason: null })
    expect(remoteKeys(`${issuer}/`)).toMatchObject({ issuer })
    for (const keys of [undefined, {}, jwks.keys, { keys: null }])
      await expect(call({ keys })).rejects.toThrow('keys: must be remoteKeys(issuer), or a set of keys')
    for (const wrong of [`${issuer}//`, `${issuer}/api`, 'http://registry.example', 'registry.example', '']) {
      await expect(call({ issuer: wrong })).rejects.toThrow(/^issuer: must be an https origin/)
      expect(() => remoteKeys(wrong)).toThrow(/^issuer/)
    }
    expect((await verifyToken(undefined as unknown as string, { issuer, keys: jwks })).reason).toBe(
      'malformed',
    )
  })
})

describe('a signed token', () => {
  it('verifies in this package and in jose', async () => {
    const [key] = await ours
    const { token, expires_at } = await signToken(statement, key, at(59.9))
    expect(expires_at).toBe(at(900).toISOString())
    expect(await verifyToken(token, { issuer, keys: jwks, now: at(59.9) })).toEqual({
      verification: claims.verification,
      log: claims.log,
      reason: null,
    })
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(toJwks(await ours)), {
      issuer,
      subject: claims.sub,
      typ: TYPE,
      algorithms: ['ES256'],
      currentDate: at(60),
    })
    const holder = {
      x: 'A'.repeat(43),
      added_at: at(0).toISOString(),
      expires_at: at(90.5).toISOString(),
      index: null,
    }
    const ofKey = await signToken({ ...statement, holder }, key, at(59.9))
    expect(ofKey.expires_at).toBe(at(90).toISOString()) // the key ends half a second later
    expect(payload).toEqual(claims)
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: TYPE, kid: key.kid })
  })
})

describe('the keys of the service', () => {
  it('must be consistent: d belongs to x and y', async () => {
    const [first, second] = privateJwks
    const rule = 'd must be the private half of x and y'
    const wrong = importKeys([{ ...first }, { ...second, d: first?.d }])
    await expect(wrong).rejects.toThrow(new Error(`TOKEN_KEYS.1: ${rule}`))
    const noPoint = importKeys([{ ...first, x: second?.x }])
    await expect(noPoint).rejects.toThrow(new Error(`TOKEN_KEYS.0: ${rule}`))
  })

  it('are rotated without rejecting a valid token', async () => {
    const [old, next] = await ours
    if (!next) throw new Error('no second key')
    let published = [old]
    let time = 0
    const fetch = async () => Response.json(toJwks(published))
    const source = remoteKeys(issuer, { fetch, clock: () => time })
    const check = async (signer: typeof old, minutes: number) => {
      time = at(60 * minutes).getTime()
      const { token } = await signToken(statement, signer, at(60 * minutes))
      return (await verifyToken(token, { issuer, keys: source, now: at(60 * minutes) })).reason
    }
    expect(await check(old, 0)).toBeNull()
    published = [old, next]
    for (const minutes of [1, 60, 1_440]) expect(await check(old, minutes)).toBeNull()
    for (const minutes of [1_440, 1_441, 1_499]) expect(await check(next, minutes)).toBeNull()
    expect(await check(old, 1_440)).toBeNull()
    published = [next]
    for (const minutes of [1_500, 1_505, 1_520]) expect(await check(next, minutes)).toBeNull()
    expect(await check(old, 1_521)).toBe('unknown_key')
  })
})

describe('remoteKeys', () => {
  const unknown = cases.find(({ name }) => name === 'an unknown key')?.token ?? ''

  function served(response: () => Promise<Response> = async () => Response.json(jwks)) {
    const fetch = vi.fn((_url: string, _init: RequestInit) => response())
    let time = 0
    const keys = remoteKeys(issuer, { fetch, clock: () => time })
    /** Verifies a token at its time of issue, with the clock of the keys advanced by `after` seconds. */
    const check = async (token: string, after: number) => {
      time = at(after).getTime()
      return (await verifyToken(token, { issuer, keys, now: at(0) })).reason
    }
    return { fetch, check }
  }

  it('caches the keys for ten minutes', async () => {
    const { fetch, check } = served()
    for (const after of [0, 1, 599.9]) expect(await check(genuine, after)).toBeNull()
    expect(fetch).toHaveBeenCalledTimes(1)
    expect(fetch.mock.calls[0]?.[0]).toBe('https://registry.example/.well-known/jwks.json')
    expect(fetch.mock.calls[0]?.[1].redirect).toBe('manual')
    expect(await check(genuine, 600)).toBeNull()
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('makes one request at a time for all callers', async () => {
    const { fetch, check } = served()
    const reasons = await Promise.all(
      [...Array(20).fill(genuine), ...Array(20).fill(unknown)].map((token) => check(token, 0)),
    )
    expect(new Set(reasons)).toEqual(new Set([null, 'unknown_key']))
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('fetches again for an unknown key at most every 30 seconds', async () => {
    const { fetch, check } = served()
    for (const after of [0, 1, 29.9]) expect(await check(unknown, after)).toBe('unknown_key')
    expect(fetch).toHaveBeenCalledTimes(1)
    for (const after of [30, 31, 59]) expect(await check(unknown, after)).toBe('unknown_key')
    expect(fetch).toHaveBeenCalledTimes(2)
    await Promise.all([60, 60, 60].map((after) => check(unknown, after)))
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  it('keeps its cached keys when a fetch for an unknown key fails', async () => {
    let isDown = false
    const { fetch, check } = served(async () => {
      if (isDown) throw new TypeError('fetch failed')
      return Response.json(jwks)
    })
    expect(await check(genuine, 0)).toBeNull()
    isDown = true
    expect(await check(unknown, 40)).toBe('unknown_key')
    expect(await check(genuine, 41)).toBeNull()
    await expect(check(genuine, 600)).rejects.toThrow(/jwks.json gave no keys/)
    const requested = fetch.mock.calls.length
    await expect(check(genuine, 600.5)).rejects.toThrow(/jwks.json gave no keys/)
    expect(fetch).toHaveBeenCalledTimes(requested)
    isDown = false
    expect(await check(genuine, 601)).toBeNull()
  })

  it.each([
    ['an error', () => new Response('{"keys":[]}', { status: 500 })],
    ['a redirect', () => Response.redirect('https://evil.example', 302)],
    ['HTML', () => new Response('<html>')],
    ['no key set', () => Response.json({ keys: 'none' })],
    ['a set without valid keys', () => Response.json({ keys: [null] })],
  ])('throws if the response is %s', async (_, response) => {
    const { check } = served(async () => response())
    await expect(check(genuine, 0)).rejects.toThrow(
      'https://registry.example/.well-known/jwks.json gave no keys',
    )
  })

  it('does not fetch for a token that can be rejected without keys', async () => {
    const { fetch, check } = served()
    for (const { token, reason } of cases) {
      if (reason === 'wrong_type') expect(await check(token, 0)).toBe(reason)
    }
    expect(await check('', 0)).toBe('malformed')
    expect(fetch).not.toHaveBeenCalled()
  })
})
