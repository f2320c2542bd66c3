import { verifyAgent } from '@agentreg/verify'
import { calculateJwkThumbprint } from 'jose'
import { afterAll, expect, it } from 'vitest'
import { newAgentKey } from '../support/agent-keys.ts'
import { type Body, ownStack } from '../support/harness.ts'

const own = await ownStack()
afterAll(own.stop)

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
  expect(JSON.stringify(verdict.checks)).not.toMatch(/unknown|malformed/)
  expect(verdict.verdict).toBe('verified')
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
