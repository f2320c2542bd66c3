import { messageOf } from '../scripts/support/message.ts'
import { runProgram } from '../scripts/support/program.ts'
import { readStackFile } from '../scripts/support/stack-file.ts'

const TIMEOUT_MS = 120_000

/**
 * Runs the Worker's scheduled jobs once and waits for them to finish.
 *
 * @param at the current time for the jobs
 * @throws Error when a job fails
 */
export async function runCron(baseUrl: string, at = new Date()): Promise<void> {
  const url = new URL('/cdn-cgi/local/scheduled', baseUrl)
  url.searchParams.set('time', String(at.getTime()))
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new Error(`the scheduled jobs could not be run: ${messageOf(error)}`)
  })
  const text = await response.text()
  if (!response.ok || text !== 'ok') {
    throw new Error(`the scheduled jobs failed (${response.status} ${text}): see worker.log`)
  }
}

if (import.meta.main) await runProgram(async () => runCron(readStackFile().base_url))
