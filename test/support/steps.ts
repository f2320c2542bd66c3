import { expect } from 'vitest'
import { holdCalls, recordedCalls } from '../../local/stand-ins/serve.ts'

/** The delay of each call in the first try, and in further tries on a slow machine. */
export const HOLDS_MS = [60, 250, 800] as const

/**
 * The number of network steps that a response waits for: the longest chain of calls to the stand-ins of this process in
 * which each starts after the previous one has ended. Calls that end after the response are not counted.
 *
 * @param work sends one request to a stack that nothing else uses
 * @param holdMs much longer than the machine needs to start parallel calls
 */
export async function countSteps<T>(
  work: () => Promise<T>,
  holdMs: number = HOLDS_MS[1],
): Promise<{ steps: number; response: T }> {
  holdCalls(holdMs)
  try {
    const began = performance.now()
    const response = await work()
    const answered = performance.now()
    const spans = recordedCalls().flatMap((call) =>
      call.began >= began && call.ended !== null && call.ended <= answered
        ? [{ began: call.began, ended: call.ended }]
        : [],
    )
    let steps = 0
    let end = began
    for (const span of spans.sort((a, b) => a.ended - b.ended)) {
      if (span.began < end) continue
      steps += 1
      end = span.ended
    }
    return { steps, response }
  } finally {
    holdCalls(0)
  }
}

/**
 * The fewest steps of several tries: load can make parallel calls look sequential, but not the reverse.
 *
 * @param budget once a try needs no more steps than this, it is the last
 * @param prepare prepares a request, and returns the function that sends it
 */
export async function fewestSteps(
  budget: number,
  prepare: () => Promise<() => Promise<{ status: number; text: string }>>,
): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY
  for (const holdMs of HOLDS_MS) {
    const { steps, response } = await countSteps(await prepare(), holdMs)
    expect(response.status, response.text).toBeLessThan(400)
    fewest = Math.min(fewest, steps)
    if (fewest <= budget) break
  }
  return fewest
}
