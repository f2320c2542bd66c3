import { globSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { runCron } from '../../local/cron.ts'
import { readStackFile } from '../../scripts/support/stack-file.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the stack that the tests of the project `stack` share. */
    stack_dir: string
  }
}

/**
 * Starts the shared stack of the black-box tests, or uses the running one in the folder STACK; `shared()` in harness.ts
 * finds it. Logs and tables are checked at the end of a test run only in a stack that it has started.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.STACK) {
    const dir = resolve(process.env.STACK)
    readStackFile(dir) // throws where none runs
    project.provide('stack_dir', dir)
    return async () => {
      for (const variant of globSync(`${dir}/variant-*`)) rmSync(variant, { recursive: true, force: true })
    }
  }
  const { startTestStack } = await import('./stack.ts')
  const stack = await startTestStack()
  await runCron(stack.base_url) // signs the first head: of two concurrent jobs, the second could end before that
  project.provide('stack_dir', stack.dir)
  return stack.stop
}
