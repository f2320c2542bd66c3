import { expect, it } from 'vitest'
import { makeKey, newAgentKey, newProof } from '../support/agent-keys.ts'
import { atOnce, statusesOf } from '../support/at-once.ts'
import { expectError, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const h = shared()
const { api, sql, newOperator, newAgent } = h

/** Sessions of one operator, each of which may make ten strict calls per minute. */
const sessionsOf = async (email: string) => atOnce(async () => (await newOperator({ email })).token, 4)

it('twenty writers give an agent five keys', async () => {
  const operator = await newOperator()
  const { reg } = await newAgent(operator)
  const tokens = await sessionsOf(operator.email)
  const proofs = await atOnce(() => newProof(h, reg))
  const replies = await atOnce((n) =>
    api('POST', `/agents/${reg}/keys`, { token: tokens[n % 4] ?? '', body: { proof: proofs[n] } }),
  )
  expect(statusesOf(replies)).toEqual({ 201: 5, 409: 15 })
  const [{ keys, changes }] = await sql(
    `select changes, (select count(*)::integer from agent_keys k where k.agent_id = a.id) as keys from agents a where reg = $1`,
    [reg],
  )
  expect([keys, changes]).toEqual([5, 5])
})

it('an agent that is deactivated meanwhile gets no key', async () => {
  const operator = await newOperator()
  const { reg } = await newAgent(operator)
  const call = { token: operator.token, body: { proof: await newProof(h, reg) } }
  const held = await holdOpen(h, `update agents set status = 'deactivated' where reg = $1`, [reg])
  const adding = api('POST', `/agents/${reg}/keys`, call)
  await held.isWaitedFor()
  await held.commit()
  expectError(await adding, 410, 'AGENT_DEACTIVATED')
})

it('of twenty agents that register the same key, one has it', async () => {
  const pair = await makeKey()
  const owners = await atOnce(async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator)
    return { token: operator.token, reg, proof: await newProof(h, reg, undefined, pair) }
  })
  const replies = await Promise.all(
    owners.map(({ token, reg, proof }) => api('POST', `/agents/${reg}/keys`, { token, body: { proof } })),
  )
  expect(statusesOf(replies)).toEqual({ 201: 1, 409: 19 })
  const winner = replies.find(({ status }) => status === 201)
  expect((await api('GET', `/agent-keys/${pair.kid}`)).body.reg).toBe(winner?.body.reg)
  const [{ count }] = await sql(
    `select count(*)::integer from audit_log where action = 'agent_key.added' and target = $1`,
    [pair.kid],
  )
  expect(count).toBe(1)
})

it('twenty registrations of one key by its agent change it once', async () => {
  const operator = await newOperator()
  const { reg } = await newAgent(operator)
  const [tokens, pair] = [await sessionsOf(operator.email), await makeKey()]
  const proof = await newProof(h, reg, undefined, pair)
  const replies = await atOnce((n) =>
    api('POST', `/agents/${reg}/keys`, { token: tokens[n % 4] ?? '', body: { proof } }),
  )
  expect(statusesOf(replies)).toEqual({ 200: 19, 201: 1 })
})

it('twenty revocations end a key once, and no token is issued afterward', async () => {
  const operator = await newOperator()
  const { reg } = await newAgent(operator)
  const { kid } = await newAgentKey(h, operator, reg)
  const { token } = operator
  const ended = atOnce(() => api('DELETE', `/agents/${reg}/keys/${kid}`, { token }))
  const tokens = await atOnce(() => api('GET', `/agent-keys/${kid}/token`))
  // A signed head may cover the leaves in the meantime.
  const answers = (await ended).map(({ status, body: { log, ...key } }) => JSON.stringify([status, key]))
  expect(new Set(answers).size).toBe(1)
  for (const { status } of tokens) expect([200, 404]).toContain(status)
  expect((await api('GET', `/agent-keys/${kid}/token`)).status).toBe(404)
  const leaves = await sql(
    `select rev from tlog_outbox where kind = 'agent_key' and subject = $1
    union all select rev from tlog_facts where kind = 'agent_key' and subject = $1 order by rev`,
    [kid],
  )
  expect(leaves).toEqual([{ rev: 1 }, { rev: 2 }])
  const audited = `select from audit_log where action = 'agent_key.revoked' and target = $1`
  expect(await sql(audited, [kid])).toHaveLength(1)
  const told = 'select from notifications where operator_id = $1 and title = $2'
  expect(await sql(told, [operator.id, 'Key of Scout revoked'])).toHaveLength(1)
})
