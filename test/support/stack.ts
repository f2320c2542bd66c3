import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../local/port.ts'
import { type Stack, startStack } from '../../local/stack.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { describeFinding } from '../../scripts/recompute.ts'
import { checkLog } from './log-check.ts'
import { withClient } from './migrate.ts'
import { requireNoLoggedSecrets, requireNoSecrets } from './secrets-search.ts'
import { checkServedLog } from './served-log.ts'
import { copyTemplate } from './template.ts'
import { again } from './variant.ts'
import { runBare } from './workerd.ts'

export interface TestStack extends Stack {
  dir: string
  /** Starts all parts again on the same data, after some of them were killed. */
  restart(): Promise<void>
}

export interface TestStackOptions {
  /** Factor for the delays of QStash. */
  timeScale?: number
  /** Whether, at its end, logs and rows are searched for secrets, and the rollups are compared with the log. */
  checked?: boolean
  /** How the Worker is run; by default, only its bundle, without the static files. */
  runWorker?: typeof runBare
}

/** A busy machine shall neither skip rate limits nor abort requests. */
export const LONG = { REDIS_TIMEOUT_MS: '10000', REQUEST_DEADLINE_MS: '20000' }

/** Starts a stack in a temporary folder. The cron does not run: tests call `runCron` with a time. */
export async function startTestStack({
  timeScale = 1,
  checked = true,
  runWorker = runBare,
}: TestStackOptions = {}): Promise<TestStack> {
  const dir = await mkdtemp(join(tmpdir(), 'registry-'))
  await chmod(dir, 0o711) // where we are root, the database runs as another user, and its data shall go with the rest
  if (process.env.TEST_DATABASE) await copyTemplate(process.env.TEST_DATABASE, join(dir, 'postgres'))
  const lines: string[] = []
  let port = 0
  const start = () =>
    startStack({ dir, port, timeScale, waits: LONG, runWorker, say: (line) => lines.push(line) })
  let running = await again(async () => {
    port = await freePort()
    return start()
  }).catch(async (error) => {
    await rm(dir, { recursive: true, force: true })
    throw new Error(`${error.message}\n${lines.join('\n')}`, { cause: error })
  })
  const stack: TestStack = {
    ...running,
    dir,
    restartWorker: async () => {
      await again(() => running.restartWorker())
      stack.worker = running.worker
    },
    restart: async () => {
      await running.stop()
      requireNoLoggedSecrets(dir) // a start empties the logs
      running = await again(start)
      Object.assign(stack, { ...running, restartWorker: stack.restartWorker, stop: stack.stop })
    },
    stop: async () => {
      try {
        if (checked) {
          const wrong = await unlikeTheLog(running)
          if (wrong.length > 0) throw new Error(`after the tests:\n${wrong.join('\n')}`)
          await requireNoSecrets(dir, running.database_url)
        }
      } finally {
        await running.stop()
        await rm(dir, { recursive: true, force: true })
      }
    },
  }
  return stack
}

/**
 * What must hold after any requests: rollup rows, counters and the transparency log match the events, and the served log
 * matches the signed one.
 *
 * @returns the differences
 */
export async function unlikeTheLog({
  base_url,
  database_url,
}: Pick<Stack, 'base_url' | 'database_url'>): Promise<string[]> {
  const { findings } = await rebuildTrust(database_url)
  const { problems } = await withClient(database_url, checkLog)
  return [...findings.map(describeFinding), ...problems, ...(await checkServedLog(base_url))]
}
