import { isDeepStrictEqual } from 'node:util'
import { remoteKeys, verifyToken } from '@agentreg/verify'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { expectRejection } from '../support/contract.ts'
import { unknownReg } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { expectNoReceipt, tokenParts } from '../support/verification-token.ts'

const h = shared()
const { api, newOperator, newAgent } = h

const TRIES = 5
const issuer = h.base_url
const keys = remoteKeys(issuer)
const minute = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS)
const now = new Date(minute.getTime() + 20_000)

const tokenOf = (reg: string, at = now, headers: Record<string, string> = {}) =>
  api('GET', `/verify/${reg}/token`, { now: at, headers })
const read = async (token: string, at = now) => verifyToken(token, { issuer, keys, now: at })
const etagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? ''

/** Repeats reads that must be of one head of the log: the cron of another test can sign a new one between them. */
async function withOneHead<T>(reg: string, work: () => Promise<T>): Promise<T> {
  const headNow = async () => tokenParts((await tokenOf(reg)).body.token).claims.log?.root
  for (let tries = 1; ; tries++) {
    const before = await headNow()
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES || (await headNow()) === before) throw error
    }
  }
}

describe('a verification token', () => {
  it('contains the quick verification of its minute, and is valid for 15 minutes', async () => {
    const { reg } = await newAgent(await newOperator(), { name: 'Übersetzer 🤖' })
    const { body: verification } = await api('GET', `/verify/${reg}`, { now })
    const { status, body } = await tokenOf(reg)
    expect(status).toBe(200)
    const expires = new Date(minute.getTime() + 15 * MINUTE_MS)
    expect(body).toEqual({ token: expect.any(String), expires_at: expires.toISOString() })
    const { header, claims } = tokenParts(body.token)
    const { keys: published } = (await api('GET', '//.well-known/jwks.json')).body
    expect(header).toEqual({ alg: 'ES256', typ: 'agent-verification+jwt', kid: published[0].kid })
    const { log, ...rest } = claims
    const stated = { ...verification, checked_at: minute.toISOString() }
    const [iat, exp] = [minute, expires].map((time) => time.getTime() / 1000)
    expect(rest).toEqual({ iss: issuer, sub: reg, iat, exp, verification: stated })
    expect(await read(body.token)).toEqual({ verification: stated, log: log ?? null, reason: null })
    expect((await read(body.token, new Date(expires.getTime() + MINUTE_MS))).reason).toBe('expired')
  })

  it('is within the size limit of verifiers even with the longest texts', async () => {
    const operator = await newOperator()
    const name = '🤖'.repeat(255)
    await api('PATCH', '/operators/me', { token: operator.token, body: { name } })
    const { reg } = await newAgent(operator, { name })
    const { verification } = await read((await tokenOf(reg)).body.token)
    expect(verification).toMatchObject({ reg, name, operator_name: name })
  })

  it('states that its agent is deactivated or its operator is suspended', async () => {
    const operator = await newOperator()
    const [deactivated, active] = await Promise.all([newAgent(operator), newAgent(operator)])
    const body = { status: 'deactivated' }
    await api('PATCH', `/agents/${deactivated.reg}`, { token: operator.token, body })
    await h.suspend(operator)
    const states = await Promise.all(
      [deactivated, active].map(async ({ reg }) => {
        const { verification } = await read((await tokenOf(reg)).body.token)
        return [verification?.active, verification?.operator_status]
      }),
    )
    expect(states).toEqual([
      [false, 'suspended'],
      [true, 'suspended'],
    ])
  })

  it('is not issued for an unknown number', async () => {
    const reg = unknownReg()
    expectRejection(await tokenOf(reg), 404, 'NOT_FOUND', new RegExp(`^there is no agent ${reg}$`))
  })

  it('can be cached for ten seconds, and has the same ETag for a minute', async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator)
    const first = await tokenOf(reg)
    expect(first.headers.get('cache-control')).toBe('public, max-age=10')
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    const later = new Date(now.getTime() + 10_000)
    const requested = await withOneHead(reg, async () => {
      const [one, second] = [await tokenOf(reg), await tokenOf(reg, later)]
      expect(second.body.token).not.toBe(one.body.token) // the signature differs each time
      expect(etagOf(second)).toBe(etagOf(one))
      const headers = { 'If-None-Match': etagOf(one) }
      expect(await tokenOf(reg, later, headers)).toMatchObject({ status: 304, text: '' })
      const head = await api('HEAD', `/verify/${reg}/token`, { now })
      expect([head.status, head.text, etagOf(head)]).toEqual([200, '', etagOf(one)])
      return headers
    })
    const next = await tokenOf(reg, new Date(now.getTime() + MINUTE_MS), requested)
    expect([next.status, etagOf(next) === requested['If-None-Match']]).toEqual([200, false])
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'Renamed' } })
    expect((await tokenOf(reg, later, requested)).status).toBe(200)
  })

  it('does not depend on credential, host or query', async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator)
    const path = `/verify/${reg}/token?iss=https://evil.example&reg=${unknownReg()}&exp=9999999999`
    const odd = await api('GET', path, { now, token: operator.token, headers: { Host: 'evil.example' } })
    const claimsOf = ({ body }: Body) => tokenParts(body.token).claims
    expect(claimsOf(odd)).toEqual(claimsOf(await tokenOf(reg)))
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
    const site = await h.variant({ LOG_KEY: undefined })
    try {
      const { body } = await site.api('GET', `/verify/${reg}/token`)
      expect(Object.keys(tokenParts(body.token).claims)).toEqual(['iss', 'sub', 'iat', 'exp', 'verification'])
      await expectNoReceipt(site, h)
    } finally {
      await site.stop()
    }
  })
})
