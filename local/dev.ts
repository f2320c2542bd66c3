import { parseArgs } from 'node:util'
import { messageOf } from '../scripts/support/message.ts'
import { LOCAL_DIR } from '../scripts/support/stack-file.ts'
import { MINUTE_MS } from '../src/lib/time.ts'
import { runCron } from './cron.ts'
import { onInterrupt } from './interrupt.ts'
import { readSettings } from './settings.ts'
import { startStack } from './stack.ts'

const say = (line: string) => console.log(line)
const interrupted = onInterrupt()
const interruption = new Promise<null>((resolve) => {
  interrupted.addEventListener('abort', () => {
    say('\nstopping')
    resolve(null)
  })
})

try {
  const { fresh } = parseArgs({ options: { fresh: { type: 'boolean' } } }).values
  const { port, timeScale, waits } = readSettings()
  say('starting the local stack')
  const stack = await startStack({ dir: LOCAL_DIR, port, timeScale, waits, fresh, say, signal: interrupted })
  const cron = setInterval(() => runCron(stack.base_url).catch((error) => say(messageOf(error))), MINUTE_MS)
  say(`
pages to open
  start page    ${stack.base_url}
  console       ${stack.base_url}/console
  docs          ${stack.base_url}/docs
  transparency  ${stack.base_url}/transparency
  mailbox       ${stack.mailbox_url}

for programs
  API           ${stack.base_url}/api/v1
  OpenAPI       ${stack.base_url}/api/v1/openapi.json
  DNS, files    ${stack.web_stand_in_url}
  mail provider ${stack.mail_url}
  QStash        ${stack.qstash_url}
  witness       ${stack.witness_url}
  database      ${stack.database_url}

commands
  sign in       npm run -s sign-in -- alice@example.com
  see it work   npm run demo
  Worker's log  ${LOCAL_DIR}/worker.log
`)
  say(`Ready on ${stack.base_url}`)
  const loss = await Promise.race([stack.lost, interruption])
  clearInterval(cron)
  if (loss) console.error(`${loss}\nstopping the stack; npm run dev starts it again with the same data`)
  await stack.stop()
  process.exit(loss ? 1 : 0)
} catch (error) {
  if (!interrupted.aborted) console.error(messageOf(error))
  process.exit(interrupted.aborted ? 0 : 1)
}
