import { runCron } from './cron.ts'
import { startStack } from './stack.ts'
import { LOCAL_DIR } from './stack-file.ts'

const MINUTE_MS = 60_000
const DEFAULT_PORT = 8787

const say = (line: string) => console.log(line)

try {
  const port = numberFrom('PORT', DEFAULT_PORT)
  const timeScale = numberFrom('QSTASH_TIME_SCALE', 1)
  say('starting the local stack')
  let stopping = false
  const started = startStack({
    dir: LOCAL_DIR,
    port,
    timeScale,
    fresh: process.argv.includes('--fresh'),
    say,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, async () => {
      if (stopping) return
      stopping = true
      say('\nstopping')
      await started.then((stack) => stack.stop()).catch(() => undefined)
      process.exit(0)
    })
  }
  const stack = await started
  setInterval(() => {
    runCron(stack.base_url).catch((error) => stopping || say(`cron: ${error.message}`))
  }, MINUTE_MS)
  say(`
  API           ${stack.base_url}/api/v1
  OpenAPI       ${stack.base_url}/api/v1/openapi.json
  mailbox       ${stack.mailbox_url}
  database      ${stack.database_url}
  QStash        ${stack.qstash_url}
  log           ${LOCAL_DIR}/worker.log

  sign in       npm run -s sign-in -- alice@example.com
  see it work   npm run demo
`)
  say(`Ready on ${stack.base_url}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

function numberFrom(name: string, fallback: number): number {
  const text = process.env[name]
  const value = text ? Number(text) : fallback
  if (!(value >= 0)) throw new Error(`${name}: must be a number, not '${text}'`)
  return value
}
