import { randomBytes } from 'node:crypto'
import { createClient } from 'agent-registry/client'
import { z } from 'zod'
import { say } from '../scripts/support/print.ts'
import { readStackFile } from '../scripts/support/stack-file.ts'
import { runCron } from './cron.ts'
import { showCall } from './demo/call.ts'
import { quote, step } from './demo/print.ts'
import { type Receiver, startReceiver } from './demo/receiver.ts'
import { showReports } from './demo/report.ts'
import { showScore } from './demo/score.ts'
import { showSignIn } from './demo/sign-in.ts'
import { AWAITED, showWebhooks } from './demo/webhooks.ts'
import { firstMoment } from './demo/workload.ts'

const KEYS = 6
const HEALTH_TIMEOUT_MS = 5_000

const platformShape = z.object({ slug: z.string(), webhook_secret: z.string() })
const agentShape = z.object({ reg: z.string(), status: z.string(), registered_at: z.string() })
const keyShape = z.object({ key: z.string(), permissions: z.array(z.string()) })

type Session = { variable: string; token: string }

async function demo(receiver: Receiver): Promise<void> {
  const stack = readStackFile()
  await requireAnswer(stack.base_url)
  const api = `${stack.base_url}/api/v1`
  const now = new Date()
  const slug = `demo-${randomBytes(4).toString('hex')}`
  console.log(`A walk through the registry at ${stack.base_url}: what to type, and → the answer in short.`)

  const session = { variable: 'TOKEN', token: await showSignIn(stack, api, `${slug}@example.com`) }
  const secret = await showPlatform(api, session, slug, receiver.url)
  const reg = await showAgent(api, session, slug, firstMoment(now))
  const keys = await showKeys(api, session)
  const log = await showReports(api, keys, reg, now)
  const overall = await showScore(api, reg, log)
  await showJobs(stack.base_url)
  const verified = await showWebhooks(receiver, secret, { reg, log })

  console.log(`
Done: agent ${reg}, trust score ${overall.toFixed(1)} of ${log.length} events, ${verified} webhooks verified.

  its profile     ${api}/agents/${reg}
  check it        npm run -s trust:verify -- ${stack.base_url} ${reg}
  all endpoints   ${stack.base_url}/docs
  the mailbox     ${stack.mailbox_url}
  the code tour   docs/architecture.md`)
}

async function requireAnswer(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
  const response = await fetch(`${baseUrl}/health`, { signal }).catch(() => null)
  if (!response?.ok) throw new Error(`the stack at ${baseUrl} does not answer: start it with npm run dev`)
}

async function showPlatform(api: string, as: Session, slug: string, url: string): Promise<string> {
  step('Register a platform', 'Its webhooks go to a receiver that this demo has started, and ends.')
  const { webhook_secret } = await showCall(api, {
    method: 'POST',
    path: '/platforms',
    as,
    body: { slug, name: 'Demo Platform', webhook_url: url, event_types: AWAITED },
    status: 201,
    shape: platformShape,
  })
  say(`export SECRET=${quote(webhook_secret)}`)
  return webhook_secret
}

async function showAgent(api: string, as: Session, platform_slug: string, at: Date): Promise<string> {
  step(
    'Register an agent on it',
    'X-Test-Now sets the time of a request, on a local stack only: this was three weeks ago.',
    'The agent receives its permanent number, and the platform agent.registered.',
  )
  const { reg } = await showCall(api, {
    method: 'POST',
    path: '/agents',
    as,
    at,
    body: { name: 'Invoice Reader', class: 'A', platform_slug, specializations: ['invoices', 'ocr'] },
    status: 201,
    shape: agentShape,
  })
  return reg
}

async function showKeys(api: string, as: Session): Promise<string[]> {
  step(
    'Make API keys',
    `A key may make 60 calls a minute, so each of the agent's ${KEYS} workers has one; the first (the others: typed client):`,
  )
  const path = '/operators/me/api-keys'
  const creation = (worker: number) => ({ name: `worker ${worker}`, permissions: ['write' as const] })
  const { key } = await showCall(api, {
    method: 'POST',
    path,
    as,
    body: creation(1),
    status: 201,
    shape: keyShape,
  })
  say(`export KEY=${key}`)
  const keys = [key]
  const registry = createClient({ baseUrl: new URL(api).origin, token: as.token })
  for (let worker = 2; worker <= KEYS; worker++) {
    const { data, error } = await registry.POST(path, { body: creation(worker) })
    if (!data) throw new Error(`POST ${path}: ${error.error.code} (${error.error.message})`)
    keys.push(data.key)
  }
  return keys
}

async function showJobs(baseUrl: string): Promise<void> {
  step('Run the scheduled jobs once', 'They write the score into its history, and send trust.updated.')
  say(`curl -s "${baseUrl}/cdn-cgi/handler/scheduled"`)
  await runCron(baseUrl)
  say('→ 200')
}

let receiver: Receiver | undefined
try {
  receiver = await startReceiver()
  await demo(receiver)
} catch (error) {
  console.error(`\ndemo: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
} finally {
  await receiver?.stop()
}
