import { messageOf } from './message.ts'

/** Runs a program; if it fails, prints why, without a stack, and exits with status 1. */
export async function runProgram(main: () => Promise<unknown>): Promise<void> {
  try {
    await main()
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
