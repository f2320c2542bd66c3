#!/usr/bin/env node
import { CommanderError } from 'commander'
import { EXIT, Failure, messageOf } from './failure.ts'
import { makeOutput, plain } from './output.ts'
import { makeProgram } from './program.ts'

process.stdout.on('error', () => process.exit(EXIT.stopped)) // the output is no longer read, as with `| head`

try {
  await makeProgram().parseAsync()
} catch (error) {
  process.exitCode = tell(error)
}

/** Prints to standard error why a command failed and what to do. */
function tell(error: unknown): number {
  // commander has printed it
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.stopped
  const { err } = makeOutput({ isJson: false, wantsColor: !process.argv.includes('--no-color') })
  err.line(`${err.style('red', 'error')}: ${plain(messageOf(error))}`)
  if (!(error instanceof Failure)) return EXIT.stopped
  if (error.next) err.line(`${err.style('dim', ' next')}: ${plain(error.next)}`)
  return error.status
}
