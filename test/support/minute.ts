import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiResponse } from './harness.ts'

const ROOM_MS = 10_000

/**
 * Makes `count` calls within one window of the limiter, with some time left for what follows; starts over with another
 * caller if the minute has ended or is about to end.
 *
 * @param order whether the calls are made in parallel
 */
export async function withinOneMinute<Caller>(
  newCaller: () => Promise<Caller> | Caller,
  count: number,
  call: (caller: Caller, n: number) => Promise<ApiResponse>,
  order: 'at once' | 'in turns' = 'at once',
): Promise<{ caller: Caller; responses: ApiResponse[] }> {
  for (let tries = 0; tries < 5; tries++) {
    const caller = await newCaller()
    const made: Promise<ApiResponse>[] = []
    for (let n = 0; n < count; n++) {
      made.push(call(caller, n))
      if (order === 'in turns') await made.at(-1)
    }
    const responses = await Promise.all(made)
    const resets = new Set(responses.map(({ headers }) => headers.get('x-ratelimit-reset')))
    const rest = 1000 * Number([...resets][0]) - Date.now()
    if (resets.size === 1 && rest > ROOM_MS) return { caller, responses }
    if (rest > 0) await sleep(Math.min(rest, ROOM_MS))
  }
  throw new Error('never within one minute')
}

/** Waits until the window of the limiter has enough time left. */
export async function roomInMinute(): Promise<void> {
  const rest = 60_000 - (Date.now() % 60_000)
  if (rest < 2 * ROOM_MS) await sleep(rest)
}

export const remainingOf = ({ headers }: ApiResponse) => Number(headers.get('x-ratelimit-remaining'))
