import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { logOf } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'

const h = shared()
const { api } = h
const event = (reg: string, fields: object = {}) => ({ reg, event_type: 'task_completed', ...fields })
const MISTAKEN = {
  event_type: 'Task_Completed',
  created_at: '2020-01-01T00:00:00Z',
  metadata: { latency: 1200 },
}
const WARNINGS = [
  {
    code: 'near_miss',
    field: 'event_type',
    message: expect.stringMatching(/did you mean task_completed\?$/),
  },
  { code: 'unused', field: 'created_at', message: expect.stringMatching(/cannot be backdated/) },
  { code: 'near_miss', field: 'metadata.latency', message: expect.stringMatching(/metadata\.response_ms/) },
]

it('warns about a probable mistake next to its event and in the replay, but stores no warning', async () => {
  const { reg, key } = await h.newReporter()
  const call = { token: key, body: event(reg, MISTAKEN), headers: { 'Idempotency-Key': 'once' } }
  const first = await api('POST', '/activity/report', call)
  expect([first.status, first.body.warnings]).toEqual([201, WARNINGS])
  const again = await api('POST', '/activity/report', call)
  expect([again.headers.get('idempotency-replayed'), again.body]).toEqual(['true', first.body])
  const batch = { ...call, body: { events: [event(reg, MISTAKEN), event(reg)] } }
  for (const _ of ['first', 'again']) {
    const { body } = await api('POST', '/activity/report/batch', batch)
    expect(body.data.map(({ warnings }: Body) => warnings)).toEqual([WARNINGS, undefined])
  }
  const good = await api('POST', '/activity/report', { token: key, body: event(reg) })
  expect(Object.keys(good.body)).not.toContain('warnings')
  const { body } = await api('GET', `/agents/${reg}/activity`)
  expect(body.data.filter((one: Body) => 'warnings' in one)).toEqual([])
  const [stored] = await logOf(h, reg)
  expect(JSON.stringify(stored)).not.toContain('did you mean')
})

it('rejects a compressed body, and says that it accepts none', async () => {
  const { reg, key } = await h.newReporter()
  const json = JSON.stringify(event(reg))
  for (const coding of ['gzip', 'br', 'deflate, gzip']) {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding }
    const response = await api('POST', '/activity/report', { token: key, body: gzipSync(json), headers })
    expectError(response, 415, 'UNSUPPORTED_MEDIA_TYPE', /^Content-Encoding: not supported/)
    expect(response.headers.get('accept-encoding')).toBe('identity')
  }
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'Identity' }
  expect((await api('POST', '/activity/report', { token: key, body: json, headers })).status).toBe(201)
})

it('names the search for GET /agents, and /api/v1 for other roots', async () => {
  expectError(await api('GET', '/agents'), 405, 'METHOD_NOT_ALLOWED', /GET \/agents\/search/)
  const root = `${h.base_url}/api/v1`
  for (const [path, hint] of [
    ['//agents/search', `use ${root}/agents/search`],
    ['//operators/me', `use ${root}/operators/me`],
    ['//v1/agents', `the API is at ${root}`],
    ['//api/v2/agents', `the API is at ${root}`],
    ['/agents/search/', 'use /api/v1/agents/search, without'],
    ['/nothing', '/api/v1/nothing does not exist'],
  ] as const)
    expectError(await api('GET', path), 404, 'NOT_FOUND', RegExp(hint))
})

it('names the uppercase form of an agent number in lowercase', async () => {
  const { reg, key } = await h.newReporter()
  const small = reg.toLowerCase()
  const message = new RegExp(`^reg: must have the form REG-YYYY-BBBB-NNNN-C, in uppercase: ${reg}$`)
  expectError(await api('GET', `/agents/${small}`), 400, 'VALIDATION_ERROR', message)
  const report = { token: key, body: event(small) }
  expectError(await api('POST', '/activity/report', report), 400, 'VALIDATION_ERROR', message)
  const batch = await api('POST', '/activity/report/batch', { token: key, body: { events: [event(small)] } })
  expect(batch.body.data[0].error.message).toMatch(message)
})
