import { createLocalJWKSet, decodeJwt, importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { utcDay } from '../../src/lib/time.ts'
import { makeKey, newAgentKey, newProof } from '../support/agent-keys.ts'
import { NOON as NOW, plus } from '../support/day.ts'
import { type Body, expectError, type Operator, shared, startReceiver } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const { api, sql, newAgent } = h
const later = (seconds: number) => plus(seconds * 1000, NOW)
const DAY = 86_400

async function keyHolder() {
  const { operator, reg } = await h.newReporter({ now: NOW })
  return { operator, token: operator.token, reg }
}
const add = async ({ token }: Pick<Operator, 'token'>, reg: string, body: object, now = NOW) =>
  api('POST', `/agents/${reg}/keys`, { token, body, now })
const setOf = async (reg: string, now = NOW) => api('GET', `//agents/${reg}/jwks.json`, { now })
/** A key whose leaves a signed head may cover in the meantime. */
const sameKey = (key: Body) => ({
  ...key,
  log: { added: expect.toSatisfy(isIndex), revoked: expect.toSatisfy(isIndex) },
})
const isIndex = (index: unknown) => index === null || Number.isInteger(index)

const idsIn = (text: string) => JSON.parse(text).keys.map(({ kid }: { kid: string }) => kid)

describe('a key of an agent', () => {
  it('is registered by its proof, once, and read by everyone', async () => {
    const { operator, token, reg } = await keyHolder()
    const pair = await makeKey()
    const expires_at = later(365 * DAY).toISOString()
    const body = {
      proof: await newProof(h, reg, NOW, pair),
      expires_at: expires_at.replace('T12:00:00.000Z', 'T13:00:00+01:00'),
    }
    const added = await add(operator, reg, body)
    expect(added.status).toBe(201)
    const key = {
      kid: pair.kid,
      reg,
      alg: 'ed25519',
      x: pair.jwk.x,
      status: 'active',
      added_at: expect.stringMatching(`^${utcDay(NOW)}T12:00:0`),
      expires_at,
      revoked_at: null,
      reason: null,
      log: { added: null, revoked: null },
    }
    expect(added.body).toEqual(key)
    const again = await add(operator, reg, { proof: await newProof(h, reg, later(5), pair) }, later(5))
    expect([again.status, again.body]).toEqual([200, sameKey(key)])
    expect((await api('GET', `/agent-keys/${pair.kid}`, { now: NOW })).body).toEqual(sameKey(key))
    const listed = await api('GET', `/agents/${reg}/keys`, { now: NOW })
    expect(listed.body).toEqual({
      data: [sameKey(key)],
      pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
    })
    const audited = await api('GET', '/operators/me/audit-log?action=agent_key.added', { token, now: NOW })
    expect(audited.body.data).toMatchObject([{ target: pair.kid }])
    const told = await api('GET', '/operators/me/notifications', { token, now: NOW })
    // The jobs of other tests may have added the digest of that week.
    const ofKeys = told.body.data.filter(({ type }: Body) => type === 'agent_key')
    expect(ofKeys).toMatchObject([{ title: 'New key for Scout', reg }])
    const [{ changes }] = await sql('select changes from agents where reg = $1', [reg])
    expect(changes).toBe(1)
  })

  it('that is revoked or expired stays so, and cannot be registered again', async () => {
    const { operator, token, reg } = await keyHolder()
    const { kid, pair } = await newAgentKey(h, operator, reg, { now: NOW })
    const path = `/agents/${reg}/keys/${kid}`
    const revoked = await api('DELETE', `${path}?reason=compromised`, { token, now: later(60) })
    expect(revoked.body).toMatchObject({
      status: 'revoked',
      revoked_at: expect.stringMatching(`^${utcDay(NOW)}T12:01:0`),
      reason: 'compromised',
    })
    const again = await api('DELETE', path, { token, now: later(90) })
    const same = sameKey(revoked.body)
    expect([again.status, again.body]).toEqual([200, same])
    expect((await api('GET', `/agent-keys/${kid}`, { now: later(90) })).body).toEqual(same)
    const proof = await newProof(h, reg, later(90), pair)
    expectError(await add(operator, reg, { proof }, later(90)), 409, 'CONFLICT', /is revoked.*make a new one/)

    const [at, expires_at] = [later(60), later(60).toISOString()]
    const other = await newAgentKey(h, operator, reg, { now: NOW, expires_at })
    expect((await api('GET', `/agent-keys/${other.kid}`, { now: at })).body.status).toBe('expired')
    expect(idsIn((await setOf(reg, at)).text)).toEqual([])
    const late = { proof: await newProof(h, reg, at, other.pair) }
    expectError(await add(operator, reg, late, at), 409, 'CONFLICT', /is expired/)
    const earlier = { token, now: later(-60) } // by a clock that has gone back
    const { body } = await api('DELETE', `/agents/${reg}/keys/${other.kid}`, earlier)
    expect(body).toMatchObject({ reason: 'rotated', revoked_at: other.added_at })
  })

  it('is refused if the agent has five, and again accepted once one is revoked or expired', async () => {
    const { operator, token, reg } = await keyHolder()
    const expires_at = later(600).toISOString()
    const { kid } = await newAgentKey(h, operator, reg, { now: NOW })
    for (let n = 0; n < 4; n++)
      await newAgentKey(h, operator, reg, { now: NOW, ...(n === 0 && { expires_at }) })
    const another = async (now = NOW) => add(operator, reg, { proof: await newProof(h, reg, now) }, now)
    expectError(await another(), 409, 'CONFLICT', /at most 5 valid keys; revoke one first/)
    await api('DELETE', `/agents/${reg}/keys/${kid}`, { token, now: NOW })
    expect((await another()).status).toBe(201)
    expectError(await another(), 409, 'CONFLICT', /at most 5/)
    expect((await another(later(600))).status).toBe(201)
  })

  it('is refused with a wrong proof or date, or if it belongs to another agent', async () => {
    const { operator, reg } = await keyHolder()
    const [mine, stranger] = [await newAgent(operator, {}, NOW), await keyHolder()]
    const { pair } = await newAgentKey(h, operator, reg, { now: NOW })
    for (const [owner, other] of [
      [operator, mine.reg],
      [stranger.operator, stranger.reg],
    ] as const) {
      const taken = { proof: await newProof(h, other, NOW, pair) }
      expectError(await add(owner, other, taken), 409, 'CONFLICT', /belongs to another agent/)
      const proof = await newProof(h, other, NOW)
      for (const [body, message] of [
        [{ proof: await newProof(h, other, later(-601)) }, /^proof: too old/],
        [{ proof, expires_at: NOW.toISOString() }, /^expires_at: must be in the future/],
        [{ proof, expires_at: later(2 * 365 * DAY + 1).toISOString() }, /^expires_at: at most two years/],
      ] as const)
        expectError(await add(owner, other, body), 400, 'VALIDATION_ERROR', message)
      expect((await api('GET', `/agents/${other}/keys`, { now: NOW })).body.data).toEqual([])
    }
    const longest = { proof: await newProof(h, reg, NOW), expires_at: later(2 * 365 * DAY).toISOString() }
    expect((await add(operator, reg, longest)).status).toBe(201)
  })

  it('is refused at the daily limit of changes and for a deactivated agent, whose keys can still be revoked', async () => {
    const { operator, token, reg } = await keyHolder()
    const keys = [
      await newAgentKey(h, operator, reg, { now: NOW }),
      await newAgentKey(h, operator, reg, { now: NOW }),
    ]
    const proof = await newProof(h, reg, NOW)
    const revoke = async () =>
      (await api('DELETE', `/agents/${reg}/keys/${keys.pop()?.kid}`, { token, now: NOW })).body.status
    await sql(`update agents set changes = 100000 where reg = $1`, [reg])
    expectError(await add(operator, reg, { proof }), 429, 'RATE_LIMITED', /changes to an agent per UTC day/)
    expect(await revoke()).toBe('revoked')
    await sql(`update agents set changes = 0 where reg = $1`, [reg])
    await api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' }, now: NOW })
    expectError(await add(operator, reg, { proof }), 410, 'AGENT_DEACTIVATED', /deactivated/)
    expect(await revoke()).toBe('revoked')
  })

  it('is not found as that of another agent of its operator', async () => {
    const { operator, token, reg } = await keyHolder()
    const { kid } = await newAgentKey(h, operator, reg, { now: NOW })
    const path = `/agents/${(await newAgent(operator, {}, NOW)).reg}/keys/${kid}`
    expectError(await api('DELETE', path, { token, now: NOW }), 404, 'NOT_FOUND', /has no key/)
  })

  it('is never changed or removed, whoever tries', async () => {
    const { operator, reg } = await keyHolder()
    const { kid } = await newAgentKey(h, operator, reg, { now: NOW })
    for (const change of ['set x = $1', 'set reg = $1', "set reason = $1, revoked_at = '1970-01-01'"])
      await expect(sql(`update agent_keys ${change} where kid = $2`, ['rotated', kid])).rejects.toThrow(
        /only revoked/,
      )
    await expect(sql('delete from agent_keys where kid = $1', [kid])).rejects.toThrow(/only revoked/)
    await sql(
      `update agent_keys set revoked_at = now() + interval '9 years', reason = 'unused' where kid = $1`,
      [kid],
    )
    for (const change of ['reason = null, revoked_at = null', "reason = 'rotated'", 'revoked_at = now()'])
      await expect(sql(`update agent_keys set ${change} where kid = $1`, [kid])).rejects.toThrow(
        /only revoked/,
      )
  })
})

describe('the JWK Set of an agent', () => {
  it('has its valid keys, for five minutes, to every origin', async () => {
    const { operator, token, reg } = await keyHolder()
    expect(JSON.parse((await setOf(reg)).text)).toEqual({ keys: [] })
    const one = await newAgentKey(h, operator, reg, { now: NOW })
    const two = await newAgentKey(h, operator, reg, { now: later(1), expires_at: later(DAY).toISOString() })
    const { status, headers, text } = await setOf(reg, later(2))
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/http-message-signatures-directory+json')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-ratelimit-limit')).toBe('3000') // verifiers share addresses
    const nbf = NOW.getTime() / 1000
    const shared = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' }
    expect(JSON.parse(text)).toEqual({
      keys: [
        { ...shared, x: one.x, kid: one.kid, nbf },
        { ...shared, x: two.x, kid: two.kid, nbf: nbf + 1, exp: nbf + DAY },
      ],
    })
    await importJWK(JSON.parse(text).keys[0], 'EdDSA')
    const known = { 'If-None-Match': headers.get('etag') ?? '' }
    expect((await api('GET', `//agents/${reg}/jwks.json`, { headers: known, now: later(2) })).status).toBe(
      304,
    )
    await api('DELETE', `/agents/${reg}/keys/${one.kid}`, { token, now: later(3) })
    expect(idsIn((await setOf(reg, later(4))).text)).toEqual([two.kid])
  })

  it('is empty while its operator is suspended, and once the agent is deactivated', async () => {
    const { operator, token, reg } = await keyHolder()
    const { kid } = await newAgentKey(h, operator, reg, { now: NOW })
    await h.suspend(operator)
    expect([(await setOf(reg)).status, (await setOf(reg)).text]).toEqual([200, '{"keys":[]}'])
    await sql(`update operators set status = 'active' where id = $1`, [operator.id])
    expect(idsIn((await setOf(reg)).text)).toEqual([kid])
    await api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' }, now: NOW })
    expect([(await setOf(reg)).status, (await setOf(reg)).text]).toEqual([200, '{"keys":[]}'])
  })

  it('does not exist for numbers that nobody has, nor for the registry itself', async () => {
    for (const path of [
      '/agents/REG-2026-9999-9999-0/jwks.json',
      '/agents/abc/jwks.json',
      '/.well-known/http-message-signatures-directory',
      '/agents/REG-2026-9999-9999-0/card.json',
    ])
      expectError(await api('GET', `/${path}`), 404, 'NOT_FOUND')
  })
})

describe('Signature Agent Cards', () => {
  const list = async (query: string) => (await api('GET', `//agents/cards.txt?${query}`, { now: NOW })).text
  const cardOf = (reg: string) => `${h.base_url}/agents/${reg}/card.json`

  it('name the page and the JWK Set of an agent', async () => {
    const { operator, reg } = await keyHolder()
    const { body, headers } = await api('GET', `//agents/${reg}/card.json`, { now: NOW })
    const client_uri = `${h.base_url}/agents/${reg}`
    const card = {
      client_id: `${client_uri}/card.json`,
      client_name: 'Scout',
      client_uri,
      jwks_uri: `${client_uri}/jwks.json`,
      registration: { registry: h.base_url, reg },
    }
    expect(body).toEqual(card)
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    await h.suspend(operator)
    expect((await api('GET', `//agents/${reg}/card.json`, { now: NOW })).body.client_name).toBe(reg)
  })

  it('are listed for active agents with a valid key, by number', async () => {
    const { operator, token, reg } = await keyHolder()
    const mine = `operator=${operator.id}`
    expect(await list(mine)).toBe('')
    const { slug } = await h.newPlatform(operator, {}, NOW)
    const [second, ended] = [
      await newAgent(operator, { platform_slug: slug }, NOW),
      await newAgent(operator, {}, NOW),
    ]
    await newAgentKey(h, operator, ended.reg, { now: NOW })
    await api('PATCH', `/agents/${ended.reg}`, { token, body: { status: 'deactivated' }, now: NOW })
    const { kid } = await newAgentKey(h, operator, reg, { now: NOW })
    for (let n = 0; n < 2; n++) await newAgentKey(h, operator, second.reg, { now: NOW })
    const [one = '', two = ''] = [reg, second.reg].toSorted()
    expect(await list(mine)).toBe(`${cardOf(one)}\n${cardOf(two)}\n`)
    expect(await list(`${mine}&after=${one}`)).toBe(`${cardOf(two)}\n`)
    expect(await list(`platform=${slug}`)).toBe(`${cardOf(second.reg)}\n`)
    expect(await list(`${mine}&domain=none.example.com`)).toBe('')
    await api('DELETE', `/agents/${reg}/keys/${kid}`, { token, now: NOW })
    expect(await list(mine)).toBe(`${cardOf(second.reg)}\n`)
    await h.suspend(operator)
    expect(await list(mine)).toBe('')
    expectError(await api('GET', '//agents/cards.txt?after=x'), 400, 'VALIDATION_ERROR', /^after: /)
  })
})

describe('the token of a key', () => {
  const tokenOf = (kid: string, now = NOW) => api('GET', `/agent-keys/${kid}/token`, { now })

  it('is that of the agent with the key, and jose verifies it', async () => {
    const { operator, token, reg } = await keyHolder()
    await untilLogged(h, reg) // until a head of the log is signed
    const { kid, pair, added_at } = await newAgentKey(h, operator, reg, { now: NOW })
    const { status, body } = await tokenOf(kid)
    expect(status).toBe(200)
    const jwks = createLocalJWKSet(JSON.parse((await api('GET', '//.well-known/jwks.json')).text))
    const verified = (text: string) =>
      jwtVerify<{ log: Body }>(text, jwks, {
        issuer: h.base_url,
        typ: 'agent-verification+jwt',
        currentDate: NOW,
      })
    const { cnf, key, log, ...claims } = (await verified(body.token)).payload
    expect(cnf).toEqual({ jwk: { crv: 'Ed25519', kty: 'OKP', x: pair.jwk.x } })
    expect(key).toEqual({ added_at, index: null })
    const plain = await api('GET', `/verify/${reg}/token`, { now: NOW })
    const { log: newest, ...others } = (await verified(plain.body.token)).payload
    expect({ ...claims, log: log.origin }).toEqual({ ...others, log: newest.origin })
    await api('DELETE', `/agents/${reg}/keys/${kid}`, { token, now: NOW })
    expectError(await tokenOf(kid), 404, 'NOT_FOUND', /is revoked/)
    expectError(await tokenOf('A'.repeat(43)), 404, 'NOT_FOUND', /no agent has the key/)
  })

  it('never outlives the key, and states that the agent is deactivated or its operator suspended', async () => {
    const { operator, token, reg } = await keyHolder()
    const { kid } = await newAgentKey(h, operator, reg, { now: NOW, expires_at: later(90).toISOString() })
    const claimsOf = async () => decodeJwt<{ verification: Body }>((await tokenOf(kid)).body.token)
    expect((await tokenOf(kid)).body.expires_at).toBe(later(90).toISOString())
    expect((await claimsOf()).exp).toBe(later(90).getTime() / 1000)
    await h.suspend(operator)
    expect((await claimsOf()).verification.operator_status).toBe('suspended')
    await sql(`update operators set status = 'active' where id = $1`, [operator.id])
    await api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' }, now: NOW })
    expect((await claimsOf()).verification.active).toBe(false)
    expectError(await tokenOf(kid, later(90)), 404, 'NOT_FOUND', /is expired/)
  })
})

it('a platform is told that the keys of an agent on it changed', async () => {
  await using receiver = await startReceiver()
  const { operator, token, reg } = await keyHolder()
  const { slug } = await h.newPlatform(operator, { webhook_url: receiver.url }, NOW)
  await api('PATCH', `/agents/${reg}`, { token, body: { platform_slug: slug }, now: NOW })
  const { kid } = await newAgentKey(h, operator, reg, { now: NOW })
  await api('DELETE', `/agents/${reg}/keys/${kid}`, { token, now: NOW })
  const keysChanged = 'agent.updated keys'
  const reported = (await memberControl(h).reported({ slug })).sort() // their times may be in another order
  expect(reported).toEqual(['agent.registered confirmed', keysChanged, keysChanged])
  await receiver.arrival(2, 'agent.updated')
})
