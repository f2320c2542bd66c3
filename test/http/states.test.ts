import { describe, expect, it } from 'vitest'
import { expectError, type Operator, shared } from '../support/harness.ts'

const { api, sql, newOperator, newAgent, newKey, newPlatform } = shared()

const WRITERS = 20

/** An agent on a platform that is told of everything. */
async function platformAgent() {
  const owner = await newOperator()
  const { slug } = await newPlatform(owner, { webhook_url: 'http://127.0.0.1:9/hook' })
  const { id, reg } = await newAgent(owner, { platform_slug: slug })
  return { owner, id: id as string, reg: reg as string }
}

const patch = (reg: string, { token }: Operator, body: object) =>
  api('PATCH', `/agents/${reg}`, { token, body })

const told = async (reg: string): Promise<string[]> => {
  const rows = await sql(`select type from webhook_events where data->>'reg' = $1 order by id`, [reg])
  return rows.map(({ type }) => type).filter((type) => type !== 'agent.registered')
}

const placesOf = async ({ id }: Operator): Promise<number> => {
  const [row] = await sql('select active_agents from operators where id = $1', [id])
  return row.active_agents
}

describe('an agent that is deactivated', () => {
  it('still has its texts changed, and its platform told [agent-11]', async () => {
    const { owner, reg } = await platformAgent()
    await patch(reg, owner, { status: 'deactivated' })
    const { status, body } = await patch(reg, owner, { description: 'It was good.', status: 'deactivated' })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'deactivated', description: 'It was good.' },
    })
    expect(await told(reg)).toEqual(['agent.deactivated', 'agent.updated'])
    expect((await patch(reg, owner, { description: 'It was good.' })).status).toBe(200)
    expect(await told(reg)).toHaveLength(2)
  })

  it('was told of by two events, when the same call has changed a text', async () => {
    const { owner, reg } = await platformAgent()
    await patch(reg, owner, { name: 'Last words', status: 'deactivated' })
    expect((await told(reg)).sort()).toEqual(['agent.deactivated', 'agent.updated'])
  })

  it('is so once for twenty at once: one event, one entry, one place given back [agent-5]', async () => {
    const { owner, reg } = await platformAgent()
    await newAgent(owner)
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, () => patch(reg, owner, { status: 'deactivated' })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await told(reg)).toEqual(['agent.deactivated'])
    expect(await placesOf(owner)).toBe(1)
    const entries = await sql(
      `select target from audit_log where operator_id = $1 and action = 'agent.deactivated'`,
      [owner.id],
    )
    expect(entries).toEqual([{ target: reg }])
  })
})

describe('an API key that is revoked', () => {
  it('is so once for twenty at once, and all are answered the same [key-3]', async () => {
    const owner = await newOperator()
    const { id, key } = await newKey(owner, ['read'])
    const path = `/operators/me/api-keys/${id}`
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, () => api('DELETE', path, { token: owner.token })),
    )
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 200, body: answers[0]?.body })
    expectError(await api('GET', '/operators/me/agents', { token: key }), 401, 'UNAUTHORIZED', /API key/)
    const entries = await sql(
      `select 1 from audit_log where operator_id = $1 and action = 'api_key.revoked'`,
      [owner.id],
    )
    expect(entries).toHaveLength(1)
  })

  it('may have run out before, which is another end [key-5]', async () => {
    const owner = await newOperator()
    const soon = new Date(Date.now() + 3_600_000)
    const later = new Date(soon.getTime() + 60_000)
    const { id, key } = await newKey(owner, ['read'], { expires_at: soon.toISOString() })
    const use = (now: Date) => api('GET', '/operators/me/agents', { token: key, now })
    expect((await use(new Date(soon.getTime() - 60_000))).status).toBe(200)
    expectError(await use(later), 401, 'UNAUTHORIZED', /expired/)
    const revoked = await api('DELETE', `/operators/me/api-keys/${id}`, { token: owner.token, now: later })
    expect(revoked).toMatchObject({ status: 200, body: { id, status: 'revoked' } })
  })
})

describe('a session that has ended', () => {
  it('ends no second time, and nothing brings it back [session-10]', async () => {
    const owner = await newOperator()
    const signOut = () => api('DELETE', '/auth/session', { token: owner.token })
    expect((await signOut()).status).toBe(204)
    expectError(await signOut(), 401, 'UNAUTHORIZED', /session/)
    const again = await newOperator({ email: owner.email })
    expect(again.id).toBe(owner.id)
    expectError(await api('GET', '/operators/me', { token: owner.token }), 401, 'UNAUTHORIZED', /session/)
  })
})
