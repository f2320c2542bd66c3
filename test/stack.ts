import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Stack, startStack } from '../local/stack.ts'
import { startWorker, type Worker } from '../local/worker.ts'

export interface TestStack extends Stack {
  dir: string
  /** Starts every part again on the same data, after any of them was killed. */
  restart(): Promise<void>
}

/**
 * Starts a whole stack in a folder of its own, which goes with it. No cron runs: tests call `runCron` with a time.
 *
 * @param timeScale what QStash multiplies its waits by
 */
export async function startTestStack({ timeScale = 1 } = {}): Promise<TestStack> {
  const dir = await mkdtemp(join(tmpdir(), 'registry-'))
  const port = await freePort()
  const lines: string[] = []
  const start = () => startStack({ dir, port, timeScale, say: (line) => lines.push(line) })
  let running = await start().catch((error) => {
    throw new Error(`${error.message}\n${lines.join('\n')}`, { cause: error })
  })
  const stack: TestStack = {
    ...running,
    dir,
    restartWorker: async () => {
      await running.restartWorker()
      stack.worker = running.worker
    },
    restart: async () => {
      await running.stop()
      running = await start()
      Object.assign(stack, { ...running, restartWorker: stack.restartWorker, stop: stack.stop })
    },
    stop: async () => {
      await running.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return stack
}

/**
 * Starts one more Worker on a running stack, with some settings changed: its callers reach the same database.
 *
 * @param dir folder of the stack
 * @param changes settings that differ, for example the address of a part that is down
 */
export async function startVariant(dir: string, changes: Record<string, string>): Promise<Worker> {
  const vars = parseEnv(await readFile(join(dir, 'worker.env'), 'utf8'))
  const own = await mkdtemp(join(dir, 'variant-'))
  return startWorker({ dir: own, port: await freePort(), vars: { ...definedOf(vars), ...changes } })
}

function definedOf(vars: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, value ?? '']))
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
