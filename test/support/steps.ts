import { holdCalls, recordedCalls } from '../../local/stand-ins/serve.ts'

const HOLD_MS = 60 // far more than the machine needs to begin what runs side by side

/**
 * How many network steps an answer has waited for: the longest chain of calls to the stand-ins of this process of
 * which each began after the one before had ended. What had not ended when the answer came, it has not waited for.
 *
 * @param work makes one request, on a stack that nobody else uses
 */
export async function countSteps<T>(work: () => Promise<T>): Promise<{ steps: number; answer: T }> {
  holdCalls(HOLD_MS)
  try {
    const began = performance.now()
    const answer = await work()
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
    return { steps, answer }
  } finally {
    holdCalls(0)
  }
}
