import { describe, expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'

const h = shared()
const { api, newAgent, newKey, newOperator, newPlatform, newPlatformKey, sql } = h

/** A platform with a key, and two agents of another operator, of which one is on the platform. */
async function setting() {
  const [host, operator] = await Promise.all([newOperator({ tier: 'pro' }), newOperator()])
  const { slug } = await newPlatform(host)
  const key = await newPlatformKey(host, slug)
  const [agent, stranger] = await Promise.all([
    newAgent(operator, { platform_slug: slug }),
    newAgent(operator),
  ])
  return { host, operator, slug, key, agent, stranger }
}

const report = (key: string, reg: string, fields: object = {}) =>
  api('POST', '/activity/report', { token: key, body: { reg, event_type: 'task_completed', ...fields } })

describe('a key of a platform', () => {
  it('reports, as the platform, for the agents registered on it and no others', async () => {
    const { key, host, operator, agent, stranger, slug } = await setting()
    const response = await report(key.key, agent.reg, { metadata: { n: 1 } })
    expect(response.status).toBe(201)
    expect(response.body).toMatchObject({ agent_id: agent.id, reported_by: 'platform', metadata: { n: 1 } })
    const own = await newAgent(host)
    const message = /^this key cannot report on agent REG-.*only on agents on the platform$/
    for (const { reg } of [stranger, own]) expectError(await report(key.key, reg), 403, 'FORBIDDEN', message)
    const gone = await newAgent(operator, { platform_slug: slug })
    await api('PATCH', `/agents/${gone.reg}`, { token: operator.token, body: { status: 'deactivated' } })
    const regs = [agent.reg, stranger.reg, 'REG-2020-0001-0001-Z', gone.reg, agent.reg]
    const events = regs.map((reg) => ({ reg, event_type: 'startup' }))
    const batch = await api('POST', '/activity/report/batch', { token: key.key, body: { events } })
    expect([batch.status, ...batch.body.data.map(({ status }: { status: number }) => status)]).toEqual([
      207, 201, 403, 404, 410, 201,
    ])
    expect(batch.body.data[0].event.reported_by).toBe('platform')
    const rows = await sql('select 1 from activity_events where agent_id = any ($1)', [[stranger.id, own.id]])
    expect(rows).toEqual([])
  })

  it('has its own scope of Idempotency-Keys', async () => {
    const { key, host, agent } = await setting()
    const body = { reg: agent.reg, event_type: 'task_completed' }
    const call = { token: key.key, body, headers: { 'Idempotency-Key': 'k' } }
    const first = await api('POST', '/activity/report', call)
    const again = await api('POST', '/activity/report', call)
    expect([again.headers.get('Idempotency-Replayed'), again.body]).toEqual(['true', first.body])
    const { key: token } = await newKey(host)
    expectError(await api('POST', '/activity/report', { ...call, token }), 403, 'FORBIDDEN')
  })

  it('reads the whole log of the platform’s agents with `read`, and the public part of others', async () => {
    const { key, host, slug, operator, agent, stranger } = await setting()
    const reporting = await newPlatformKey(host, slug, ['activity:report'])
    const { key: ownKey } = await newKey(operator)
    for (const { reg } of [agent, stranger])
      await h.reportBatch(ownKey, Array(60).fill({ reg, event_type: 'startup' }))
    const total = async (reg: string, token = key.key) =>
      (await api('GET', `/agents/${reg}/activity`, { token })).body.pagination.total
    expect([await total(agent.reg), await total(stranger.reg)]).toEqual([60, 50])
    expect(await total(agent.reg, reporting.key)).toBe(50)
    const full = await api('GET', `/verify/${agent.reg}/full`, { token: key.key })
    expect(full.body).toMatchObject({ reg: agent.reg, platform_slug: slug })
  })
})

describe('the keys of a platform', () => {
  it('are listed, changed and revoked below the platform, separate from the operator’s own', async () => {
    const { host, slug, key, agent } = await setting()
    const { token } = host
    const own = await newKey(host)
    const ids = async (path: string) =>
      (await api('GET', path, { token })).body.data.map(({ id }: { id: string }) => id)
    expect(await ids(`/platforms/${slug}/api-keys`)).toEqual([key.id])
    expect(await ids('/operators/me/api-keys')).toEqual([own.id])
    const { body: sums } = await api('GET', '/operators/me/dashboard', { token })
    expect(sums.active_api_keys).toBe(1)
    const audit = await sql('select action from audit_log where target = $1', [key.id])
    expect(audit).toEqual([{ action: 'api_key.created' }])
    const create = (fields: object) =>
      api('POST', `/platforms/${slug}/api-keys`, { token, body: { name: 'x', ...fields } })
    const message = /permissions.*must be one of read, activity:report/
    expectError(await create({ permissions: ['write'] }), 400, 'VALIDATION_ERROR', message)
    const plain = await create({})
    expect(plain.body.permissions).toEqual(['read'])
    await api('DELETE', `/platforms/${slug}/api-keys/${plain.body.id}`, { token })

    const path = `/platforms/${slug}/api-keys/${key.id}`
    const revoked = await api('DELETE', path, { token })
    expect(revoked.body).toMatchObject({ id: key.id, status: 'revoked' })
    expectError(await report(key.key, agent.reg), 401, 'UNAUTHORIZED')
    const { body: listed } = await api('GET', `/platforms/${slug}/api-keys`, { token })
    expect(listed.data.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked'])
    expect(JSON.stringify(listed)).not.toContain(key.key)
  })

  it('return 404 below other paths of their operator', async () => {
    const { host, slug, key } = await setting()
    const { slug: other } = await newPlatform(host)
    const own = await newKey(host)
    const { token } = host
    const attempts: [path: string, message: RegExp][] = [
      [`/operators/me/api-keys/${key.id}`, /^you have no API key /],
      [`/platforms/${other}/api-keys/${key.id}`, /^platform 'p-.*' has no API key /],
      [`/platforms/${slug}/api-keys/${own.id}`, /^platform 'p-.*' has no API key /],
    ]
    for (const [path, message] of attempts) {
      expectError(await api('PATCH', path, { token, body: { name: 'x' } }), 404, 'NOT_FOUND', message)
      expectError(await api('DELETE', path, { token }), 404, 'NOT_FOUND', message)
    }
    const { body } = await api('GET', `/platforms/${slug}/api-keys`, { token })
    expect(body.data).toMatchObject([{ name: 'market', status: 'active' }])
  })
})
