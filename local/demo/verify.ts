import { setTimeout as sleep } from 'node:timers/promises'
import { verifyAgent } from '../../packages/verify/index.ts'
import { runCron } from '../cron.ts'
import { say, step, table } from './print.ts'

const WAIT_MS = 120_000
const POLL_MS = 200

/**
 * Verifies the agent without trusting the registry: its signed statement, its score, and its records in the log.
 *
 * @throws Error when it is not verified in time; a job that runs at the same time may hold the lock of the log
 */
export async function showVerdict(baseUrl: string, reg: string): Promise<void> {
  step(
    'Verify the agent',
    'The jobs above added each event and the incident to a public Merkle tree, and signed its head. Anyone can',
    'verify that it contains what the registry shows, and that the score follows from it:',
  )
  say(`npm run -s agentreg -- verify ${reg} --base-url ${baseUrl}`)
  for (const until = Date.now() + WAIT_MS; ; await sleep(POLL_MS)) {
    const { verdict, checks } = await verifyAgent(baseUrl, reg)
    if (verdict === 'verified') return table(checks.map(({ name, detail }) => [`→ ${name}`, detail]))
    if (Date.now() > until) throw new Error(`the agent is not verified: ${JSON.stringify(checks)}`)
    await runCron(baseUrl)
  }
}
