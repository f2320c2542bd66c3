import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { NOON, plus } from '../support/day.ts'
import { expectError, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const { api, sql, newKey, newReporter, report } = shared()
const KILOBYTE = 1024

describe('POST /activity/report', () => {
  it('stores an event and returns it as stored', async () => {
    const { agent, key, reg } = await newReporter()
    const metadata = { response_ms: 1500, quality: 0.95, nested: { list: [1, 'ü', null, true] }, '': '🤖' }
    const event = await report(key, reg, { event_type: 'task_completed', severity: 'warning', metadata })
    expect(event).toEqual({
      id: UUID,
      agent_id: agent.id,
      event_type: 'task_completed',
      severity: 'warning',
      metadata,
      reported_by: 'operator',
      source: 'self',
      platform: null,
      created_at: ISO,
    })
    const [row] = await sql('select metadata, severity, seq::integer from activity_events where id = $1', [
      event.id,
    ])
    expect(row).toEqual({ metadata, severity: 'warning', seq: 1 })
  })

  it('requires only a type, of up to 50 characters', async () => {
    const { key, reg } = await newReporter()
    for (const fields of [{}, { event_type: '🤖'.repeat(50), severity: null, metadata: null }])
      expect(await report(key, reg, { event_type: 'x y', ...fields })).toMatchObject({
        event_type: 'x y',
        ...fields,
        severity: 'info',
        metadata: {},
      })
  })

  it('stores metadata with keys such as __proto__ as plain data', async () => {
    const { key, reg } = await newReporter()
    const metadata = JSON.parse(
      '{"__proto__": {"admin": true}, "constructor": 1, "response_ms": "fast", "quality": 1e15}',
    )
    const body = `{"reg": "${reg}", "event_type": "task_completed", "metadata": ${JSON.stringify(metadata)}}`
    const response = await api('POST', '/activity/report', { token: key, body })
    expect(response.status).toBe(201)
    const [row] = await sql('select metadata::text from activity_events where id = $1', [response.body.id])
    expect(JSON.parse(row.metadata)).toMatchObject({ constructor: 1, response_ms: 'fast', quality: 1e15 })
    expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({
      tasks_completed: 1,
      avg_response_ms: null,
    })
  })

  it('never stores a time earlier than that of the previous event', async () => {
    const { key, reg } = await newReporter({ now: NOON })
    const [earlier, later] = [5, 10].map((minutes) => plus(minutes * MINUTE_MS, NOON))
    const first = await report(key, reg, {}, later)
    const second = await report(key, reg, {}, earlier)
    expect(Date.parse(first.created_at)).toBeGreaterThanOrEqual(Number(later))
    expect(second.created_at).toBe(first.created_at)
  })

  it('checks in a fixed order: credential, permission, size, content type, body, agent', async () => {
    const { operator, reg, key } = await newReporter()
    const reader = await newKey(operator, ['read'])
    const large = 'x'.repeat(65 * KILOBYTE)
    const text = { 'Content-Type': 'text/plain' }
    const call = (token: string, body: string, headers = {}) =>
      api('POST', '/activity/report', { token, body, headers })
    expect((await call('x', large, text)).status).toBe(401)
    expect((await call(reader.key, large, text)).status).toBe(403)
    expect((await call(key, large, text)).status).toBe(413)
    expect((await call(key, '{', text)).status).toBe(415)
    expect((await call(key, '{')).status).toBe(400)
    expect((await call(key, '{"reg":"REG-2026-0001-0042-A"}')).status).toBe(400)
    const unknown = await call(key, '{"reg":"REG-2026-0001-0042-A","event_type":"x"}')
    expectError(unknown, 404, 'NOT_FOUND', /check character/)
    expect((await call(key, `{"reg":"${reg}","event_type":"x"}`)).status).toBe(201)
  })
})
