import { expect } from 'vitest'

const DELAYS = [60, 300, 1_800, 7_200] // docs/use/webhooks.md, "Retries"
const BACKOFF = 12 // QStash's first retry delay, after a lost response
export const TOLERANCE_SECONDS = 6 // each attempt is due at a whole second
export const ATTEMPTS = [1, 2, 3, 4, 5]

/** Where the Worker is killed; whether the attempt is lost, reached the receiver, and publishes a next one. */
const POINTS = {
  'before the claim': { lost: false, posted: true, publishes: false },
  'after the claim': { lost: true, posted: false, publishes: false },
  'before the POST': { lost: true, posted: false, publishes: false },
  'after the POST': { lost: true, posted: true, publishes: false },
  'before the record': { lost: true, posted: true, publishes: false },
  'after the record': { lost: false, posted: true, publishes: false },
  'before the next is published': { lost: false, posted: true, publishes: true },
  'after the next is published': { lost: false, posted: true, publishes: true },
  'before the response': { lost: false, posted: true, publishes: true },
} as const
export type Point = keyof typeof POINTS

/**
 * What happens once to a delivery: the Worker is killed (and QStash loses its message), QStash loses the message of an
 * attempt, or rejects messages for an hour.
 */
export type Mishap = { attempt: number } & (
  | { crash: Point; forgets?: true }
  | { loses: true }
  | { rejects: true }
  | { nothing: true }
)

export interface Case {
  mishap: Mishap
  delivery_id: string
  event_id: string
  posts: number
  happened: boolean
  rejectedUntil?: number
  /** Time of its event in ms. */
  began: number
}

/** The outcome of a delivery. */
export interface Story {
  what: string
  status: string
  /** Seconds from the event to the start of each attempt. */
  starts: number[]
  /** Status or error of each attempt, by its number. */
  log: Record<number, number | string>
  posts: number
  happened: boolean
}

/** The schedule in seconds since the event; an attempt killed before its claim starts with QStash's retry. */
export function startsOf({ mishap }: Case): number[] {
  const late = 'crash' in mishap && mishap.crash === 'before the claim' ? mishap.attempt : null
  let at = 0
  return ATTEMPTS.map((n) => {
    at += (DELAYS[n - 2] ?? 0) + (n === late ? BACKOFF : 0)
    return at
  })
}

/** The required outcome of a delivery. */
export function expectedOf(one: Case): Story {
  const { mishap } = one
  const { attempt } = mishap
  const point = 'crash' in mishap ? mishap.crash : null
  const { lost, posted } = point ? POINTS[point] : { lost: false, posted: true }
  return {
    what: JSON.stringify(mishap),
    status: 'failed',
    starts: startsOf(one),
    log: Object.fromEntries(ATTEMPTS.map((n) => [n, lost && n === attempt ? 'outcome unknown' : '500'])),
    posts: posted ? 5 : 4,
    happened: !('nothing' in mishap),
  }
}

/** Expects that no attempt is early, and that the last is at most `lateSeconds` late. */
export function expectOnTime({ what, starts }: Story, lateSeconds: number): void {
  for (const [n, start] of starts.entries()) {
    const since = start - (starts[n - 1] ?? 0)
    expect(since, `${what}: attempt ${n + 1} too early: ${starts}`).toBeGreaterThanOrEqual(DELAYS[n - 1] ?? 0)
  }
  const last = starts.at(-1) ?? Number.NaN
  expect(last, `${what}: too late: ${starts}`).toBeLessThanOrEqual(9_360 + lateSeconds)
}

/** A crash at every point of every attempt that has this point. */
export const CRASHES: readonly Mishap[] = (Object.keys(POINTS) as Point[]).flatMap((crash) =>
  ATTEMPTS.filter((attempt) => attempt < 5 || !POINTS[crash].publishes).map((attempt) => ({
    attempt,
    crash,
  })),
)
