import { messageOf } from '../scripts/support/message.ts'
import { readStackFile } from '../scripts/support/stack-file.ts'

const TIMEOUT_MS = 120_000

/**
 * Runs the Worker's scheduled jobs once, and returns when they are done.
 *
 * @param at the time that the jobs take for now
 * @throws Error when a job has failed
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

if (import.meta.main) {
  try {
    await runCron(readStackFile().base_url)
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
