import { expect, it } from 'vitest'
import { judge, OUR_ERRORS } from '../../src/webhooks/relay/verdict.ts'
import { secondsUntil } from '../../src/webhooks/schedule.ts'

const START = new Date('2026-11-01T12:00:00.250Z')
const outcome = (response_status: number | null, error: string | null = null) => ({
  duration_ms: 1,
  response_status,
  error,
  response_excerpt: null,
})

it.each([
  ['199 fails', 199, null, 2, 'pending', 300, 'retrying'],
  ['200 is a success', 200, null, 1, 'delivered', null, 'succeeded'],
  ['299 on the last attempt is a success', 299, null, 5, 'delivered', null, 'succeeded'],
  ['a 200 whose body times out fails', 200, 'timeout', 1, 'pending', 60, 'retrying'],
  ['300 fails', 300, null, 3, 'pending', 1_800, 'retrying'],
  ['no response fails', null, 'connection failed', 4, 'pending', 7_200, 'retrying'],
  ['the fifth failure is the last', 500, null, 5, 'failed', null, 'failed'],
  ['410 ends the retries at once', 410, null, 1, 'failed', null, 'gone'],
  [
    "a crash of the relay does not count as the platform's failure",
    null,
    OUR_ERRORS.crashed,
    5,
    'failed',
    null,
    null,
  ],
  ['nor as one that is retried', null, OUR_ERRORS.crashed, 2, 'pending', 300, null],
  ['nor does a secret that cannot be unsealed', null, OUR_ERRORS.sealed, 5, 'failed', null, null],
] as const)('%s', (_, status, error, attempt, becomes, seconds, platform) => {
  const due = seconds === null ? null : new Date(START.getTime() + seconds * 1000)
  expect(judge(outcome(status, error), attempt, START)).toEqual({ status: becomes, due, platform })
})

it('the seconds until a time are rounded up, and 0 when it has passed', () => {
  const seconds = [-1, 0, 1, 1_000, 1_001].map((ms) => secondsUntil(new Date(START.getTime() + ms), START))
  expect(seconds).toEqual([0, 0, 1, 1, 2])
})
