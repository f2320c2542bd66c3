import { verifyAgent } from '@agentreg/verify'
import { calculateJwkThumbprint } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { type KeyPair, newAgentKey, newProof } from '../support/agent-keys.ts'
import { type Body, expectError, ownStack } from '../support/harness.ts'
import { fetchFresh, untilVerified, withoutTriggers } from '../support/logged.ts'
import { timeTravel } from '../support/set-back.ts'

const own = await ownStack()
afterAll(own.stop)
const { lost, keepState, setBack, resume } = timeTravel(own.database_url)

/** An agent with a valid key and a revoked one, all in the log. */
async function agentWithKeys() {
  const operator = await own.newOperator()
  const { reg, id } = await own.newAgent(operator)
  const expires_at = '2028-01-01T00:00:00.000Z'
  const { kid } = await newAgentKey(own, operator, reg, { expires_at })
  await newAgentKey(own, operator, reg, { expires_at })
  const path = `/agents/${reg}/keys/${kid}?reason=compromised`
  expect((await own.api('DELETE', path, { token: operator.token })).status).toBe(200)
  await own.cron()
  await own.cron()
  expect(await verifyAgent(own.base_url, reg, { fetch: fetchFresh })).toMatchObject({ verdict: 'verified' })
  return { reg, id }
}

it('the leaves of a key say when it was added and revoked, and its agent is verified with them', async () => {
  const operator = await own.newOperator()
  const { reg } = await own.newAgent(operator)
  const expires_at = '2028-01-01T00:00:00.000Z'
  const added = await newAgentKey(own, operator, reg, { expires_at })
  await own.cron()
  await own.cron()
  const before = (await own.api('GET', `/agent-keys/${added.kid}`)).body
  expect(before.log).toEqual({ added: expect.any(Number), revoked: null })
  const path = `/agents/${reg}/keys/${added.kid}?reason=compromised`
  const revoked = (await own.api('DELETE', path, { token: operator.token })).body
  await own.cron()
  await own.cron()
  const { log } = (await own.api('GET', `/agent-keys/${added.kid}`)).body
  expect(log).toEqual({ added: before.log.added, revoked: expect.any(Number) })

  const { data } = (await own.api('GET', `/agents/${reg}/log-entries?kind=agent_key`)).body
  const key = { crv: 'Ed25519', kty: 'OKP', x: added.x }
  const facts = { v: 1, kind: 'agent_key', reg, kid: added.kid, key, until: expires_at }
  expect(data.map(({ index, leaf }: Body) => [index, JSON.parse(leaf)])).toEqual([
    [log.added, { ...facts, rev: 1, state: 'added', reason: null, at: added.added_at }],
    [log.revoked, { ...facts, rev: 2, state: 'revoked', reason: 'compromised', at: revoked.revoked_at }],
  ])
  expect(await calculateJwkThumbprint(key)).toBe(added.kid)
  for (const index of [log.added, log.revoked])
    expect((await own.api('GET', `//log/proof/${index}`)).status).toBe(200)

  const verdict = await verifyAgent(own.base_url, reg)
  expect(JSON.stringify([verdict.checks, verdict.notes])).not.toMatch(/know|malformed/)
  expect(verdict).toMatchObject({ verdict: 'verified', keys: [{ kid: added.kid, status: 'revoked' }] })
})

describe('a key that the owner of the database changes, with all triggers disabled', () => {
  const changed = (set: string, where = 'revoked_at is not null') =>
    `update agent_keys set ${set} where agent_id = '$id' and ${where}`

  it.each([
    ['x', changed(`x = translate(x, 'ABCDE', 'BCDEA')`, 'true'), /: is not the thumbprint of x/],
    ['the time of its revocation', changed(`revoked_at = revoked_at + interval '1 day'`), /: revoked: at is/],
    [
      'the reason of its revocation',
      changed(`reason = 'unused'`),
      /: revoked: reason is "unused", must be "c/,
    ],
    ['that it was revoked', changed('revoked_at = null, reason = null'), /: revoked: reason is null/],
    [
      'that it was not revoked',
      changed(`revoked_at = now() - interval '1 day', reason = 'compromised'`, 'revoked_at is null'),
      /is not in the log as revoked/,
    ],
    ['when it was added', changed(`added_at = added_at - interval '1 day'`), /: added: at is/],
    ['when it expires', changed(`expires_at = null`), /: added: until is null/],
    ['that it was there', `delete from agent_keys where agent_id = '$id'`, /of leaf \d+ is not listed/],
    [
      'whose it is',
      `update agent_keys set kid = 'A' || substr(kid, 2) where agent_id = '$id'`,
      /: is not the thumbprint of x/,
    ],
  ])('is found by every verdict: %s', async (_, statement, detail) => {
    const { reg, id } = await agentWithKeys()
    await withoutTriggers(own, ['agent_keys'], statement.replace('$id', id))
    const { verdict, checks, keys } = await verifyAgent(own.base_url, reg, { fetch: fetchFresh })
    const failed = checks.filter(({ ok }) => ok !== true)
    expect(failed).toEqual([{ name: 'keys', ok: false, detail: expect.stringMatching(detail) }])
    expect({ verdict, keys }).toEqual({ verdict: 'failed', keys: null })
  })
})

it('after a restore, a key that has ended stays ended and taken, and the agent is verified with its new leaves', async () => {
  const operator = await own.newOperator()
  const { reg } = await own.newAgent(operator)
  const revoke = async ({ kid }: Body, reason: string) =>
    (await own.api('DELETE', `/agents/${reg}/keys/${kid}?reason=${reason}`, { token: operator.token })).body
  const known = await newAgentKey(own, operator, reg)
  await own.cron()
  await keepState()
  const [later, valid] = [await newAgentKey(own, operator, reg), await newAgentKey(own, operator, reg)]
  const ended = [await revoke(known, 'compromised'), await revoke(later, 'unused')]
  await own.cron()
  await setBack()
  process.env.LOST_DATABASE_URL = lost
  const done = await administer(own.database_url, ['after-restore']).finally(() => {
    delete process.env.LOST_DATABASE_URL
  })
  expect(done).toContain('keys of agents: 2 ended again')
  for (const { kid, status, added_at, revoked_at, reason } of ended) {
    const { body } = await own.api('GET', `/agent-keys/${kid}`)
    expect(body).toMatchObject({ reg, status, added_at, revoked_at, reason })
  }
  const again = await own.newOperator({ email: operator.email })
  const add = async (pair: KeyPair) =>
    own.api('POST', `/agents/${reg}/keys`, {
      token: again.token,
      body: { proof: await newProof(own, reg, undefined, pair) },
    })
  expectError(await add(later.pair), 409, 'CONFLICT')
  expect((await add(valid.pair)).status).toBe(201)
  const { body } = await own.api('GET', '/operators/me/audit-log?action=agent_key.revoked', {
    token: again.token,
  })
  expect(body.data.map(({ target }: Body) => target).sort()).toEqual(ended.map(({ kid }) => kid).sort())

  await resume()
  await own.cron()
  const verdict = await untilVerified(own, reg)
  expect(verdict.keys?.map(({ kid, status }) => [kid, status]).sort()).toEqual(
    [
      [known.kid, 'revoked'],
      [later.kid, 'revoked'],
      [valid.kid, 'active'],
    ].sort(),
  )
})

it('the JWK Set of an agent is 503, never empty, while the database is away', async () => {
  const operator = await own.newOperator()
  const { reg } = await own.newAgent(operator)
  await newAgentKey(own, operator, reg)
  const away = await own.variant({ DATABASE_URL: 'postgresql://nobody:nothing@127.0.0.1:9/nowhere' })
  const { status, headers } = await away.api('GET', `//agents/${reg}/jwks.json`)
  await away.stop()
  expect([status, headers.get('cache-control')]).toEqual([503, 'no-store'])
})
