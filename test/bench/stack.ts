import { connect, type Harness } from '../support/harness.ts'
import { startTestStack, type TestStack } from '../support/stack.ts'
import { say } from './requests/servers.ts'

/** A stack to measure, for as long as the measurement takes. */
export interface BenchStack {
  stack: TestStack
  h: Harness
  /** Registers something to stop before the stack. */
  atEnd(stop: () => Promise<unknown>): void
}

/** Starts a stack with its own databases, runs a measurement, and always stops the stack. */
export async function withStack(measure: (at: BenchStack) => Promise<void>): Promise<void> {
  for (const name of ['DATABASE_URL', 'QSTASH_URL']) delete process.env[name]
  const stack = await startTestStack({ checked: false })
  const stops: (() => Promise<unknown>)[] = [() => stack.stop()]
  try {
    const h = connect(stack.dir, stack)
    stops.push(h.end)
    await measure({ stack, h, atEnd: (stop) => stops.push(stop) })
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error) => say(String(error)))
  }
}
