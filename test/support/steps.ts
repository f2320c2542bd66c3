import { expect } from 'vitest'
import { holdCalls, recordedCalls } from '../../local/stand-ins/serve.ts'

/** How long each call is delayed: in the first try, and in further tries on a slow machine. */
export const HOLDS_MS = [60, 250, 800] as const

/**
 * How many network steps a response has waited for: the longest chain of calls to the stand-ins of this process of
 * which each began after the one before had ended. What had not ended when the response came, it has not waited for.
 *
 * @param work makes one request, on a stack that nobody else uses
 * @param holdMs far more than the machine needs to begin what runs side by side
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
 * @param budget no further tries once it is met
 * @param prepare makes ready what a request needs, and returns the request
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
