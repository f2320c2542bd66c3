import type { TestProject } from 'vitest/node'
import { startTestStack } from './stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the stack that the tests of the project `stack` share. */
    stack_dir: string
  }
}

/** Starts the one stack of the black-box tests; `shared()` in harness.ts finds it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startTestStack()
  project.provide('stack_dir', stack.dir)
  return stack.stop
}
