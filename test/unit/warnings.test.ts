import { expect, test } from 'vitest'
import { warningsIn as findWarnings } from '../../src/activity/warnings.ts'
import { toWarnings } from '../../src/wire/warnings.ts'

const warningsIn = (report: object) => toWarnings(findWarnings(report))
const REG = 'REG-2026-0001-0042-U'
const reported = (report: object) =>
  (warningsIn({ reg: REG, event_type: 'task_completed', ...report }).warnings ?? []).map(
    ({ code, field }) => [code, field],
  )

test.each([
  {},
  { metadata: { response_ms: 0, quality: 1, correct: true, note: 'x' } },
  { metadata: { response_ms: 1500, duration: 'PT2S', score: 7, quality: 0.5 } },
  { event_type: 'task_failed', metadata: { error: 'timeout' } },
  { event_type: 'incident', metadata: { title: 'Late', description: 'x' } },
  { event_type: 'x'.repeat(50), metadata: { ['d'.repeat(5_000)]: 1 } },
])('returns no warning for %j', (report) => {
  expect(warningsIn({ reg: REG, event_type: 'task_completed', ...report })).toEqual({})
})

test.each([
  [
    'task_completed',
    [
      'Task_Completed',
      'task_complete',
      'taskcompleted',
      'task-completed',
      'TASK COMPLETED',
      'task.completed',
    ],
  ],
  ['error', ['Error', 'errors']],
  ['incident', ['INCIDENT', 'incidents']],
  ['startup', ['start_up', 'Start', 'started']],
  ['shutdown', ['shut-down', 'STOP']],
])('recognizes a near miss of the event type %s', (meant, sent) => {
  for (const event_type of sent) {
    const { warnings } = warningsIn({ reg: REG, event_type })
    const message = `'${event_type}' is a custom type, which counts toward the trust score only with severity critical: did you mean ${meant}?`
    expect(warnings).toEqual([{ code: 'near_miss', field: 'event_type', message }])
  }
})

test.each([
  ['response_ms', ['duration', 'latency', 'latency_ms', 'responseTime', 'Response-MS', 'elapsed_ms']],
  ['quality', ['Quality', 'score', 'rating']],
  ['correct', ['Correct', 'is_correct']],
])('recognizes a near miss of %s in metadata and at the top level', (meant, sent) => {
  for (const key of sent) {
    const { warnings } = warningsIn({ reg: REG, event_type: 'task_completed', metadata: { [key]: 1 } })
    expect(warnings).toEqual([
      {
        code: 'near_miss',
        field: `metadata.${key}`,
        message: expect.stringContaining(`mean metadata.${meant} (`),
      },
    ])
    const atTopLevel = warningsIn({ reg: REG, event_type: 'task_completed', [key]: 1 }).warnings
    expect(atTopLevel).toEqual([
      { code: 'near_miss', field: key, message: `is ignored: did you mean metadata.${meant}?` },
    ])
  }
})

test('warns about a time, since events cannot be backdated', () => {
  for (const field of ['created_at', 'timestamp', 'createdAt', 'occurred_at']) {
    expect(warningsIn({ reg: REG, event_type: 'x', [field]: '2026-01-01' }).warnings).toEqual([
      { code: 'unused', field, message: expect.stringContaining('cannot be backdated') },
    ])
  }
  expect(reported({ metadata: { timestamp: 1, created_at: 2 } })).toEqual([])
})

test('warns about values that the score cannot read', () => {
  for (const metadata of [
    { response_ms: '1500' },
    { response_ms: -1 },
    { response_ms: 86_400_001 },
    { quality: 95 },
    { quality: '0.9' },
    { correct: 'true' },
  ])
    expect(reported({ metadata })).toEqual([['bad_value', `metadata.${Object.keys(metadata)[0]}`]])
  expect(reported({ metadata: { quality: 95, correct: true } })).toEqual([['bad_value', 'metadata.quality']])
})

test('warns about quality and latency of events that do not use them', () => {
  const metadata = { quality: 0.9, response_ms: 12 }
  for (const event_type of ['heartbeat', 'incident', 'startup'])
    expect(reported({ event_type, metadata })).toEqual([
      ['unused', 'metadata.quality'],
      ['unused', 'metadata.response_ms'],
    ])
})

test('warns about the type and the fields of the meant type together', () => {
  expect(reported({ event_type: 'Task_Completed', metadata: { latency: 3 } })).toEqual([
    ['near_miss', 'event_type'],
    ['near_miss', 'metadata.latency'],
  ])
  expect(reported({ event_type: 'incident', Severity: 'error', meta: {}, metadata: undefined })).toEqual([
    ['near_miss', 'Severity'],
    ['unused', 'meta'],
  ])
  expect(reported({ event_type: 'incident', metadata: { Title: 'Late' } })).toEqual([
    ['near_miss', 'metadata.Title'],
  ])
})

test('returns at most five warnings, and reads a limited part of a report', () => {
  const many = { created_at: 1, timestamp: 1, time: 1, date: 1, level: 'error', quality: 2, score: 3 }
  expect(reported(many)).toHaveLength(5)
  const long = Object.fromEntries(Array.from({ length: 16_000 }, (_, n) => [`k${n}`, n]))
  expect(reported({ metadata: { ...long, duration: 1 } })).toEqual([])
  expect(reported(JSON.parse('{"metadata":{"__proto__":{"score":1},"constructor":1,"toString":1}}'))).toEqual(
    [],
  )
})
