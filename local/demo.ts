import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { readStackFile } from '../scripts/support/stack-file.ts'
import { DAY_MS } from '../src/lib/time.ts'
import { runCron } from './cron.ts'
import { call, showCall } from './demo/call.ts'
import { showDomain } from './demo/domain.ts'
import { showVerification } from './demo/identity.ts'
import { quote, say, step } from './demo/print.ts'
import { type Receiver, startReceiver } from './demo/receiver.ts'
import { showIncident, showWork } from './demo/report.ts'
import { showSignedRequest } from './demo/request.ts'
import { showScore } from './demo/score.ts'
import { showSecondSignIn, showSignIn } from './demo/sign-in.ts'
import { showVerdict } from './demo/verify.ts'
import { AWAITED, showWebhooks } from './demo/webhooks.ts'
import { duplicateIncident, type Happening, invoiceWork } from './demo/workload.ts'

const KEYS = 3
const ATTESTED_DAYS = 10
const HEALTH_TIMEOUT_MS = 5_000
const ADA = { first_name: 'Ada', last_name: 'Lovelace', birth_date: '1985-12-10' }
const GRACE = { first_name: 'Grace', last_name: 'Hopper', birth_date: '1986-12-09' }

const AGENT = {
  name: 'Invoice Reader',
  description: 'Reads the invoices of suppliers, and books them.',
  class: 'A',
  specializations: ['invoices', 'ocr'],
}

const platformShape = z.object({ slug: z.string(), webhook_secret: z.string() })
const agentShape = z.object({ reg: z.string(), status: z.string(), registered_at: z.string() })
const memberShape = z.object({ reg: z.string(), platform_state: z.string() })
const keyShape = z.object({ key: z.string(), permissions: z.array(z.string()) })

type Session = { variable: string; token: string }

async function demo(receiver: Receiver): Promise<void> {
  const stack = readStackFile()
  await requireResponse(stack.base_url)
  const api = `${stack.base_url}/api/v1`
  const now = new Date()
  const slug = `demo-${randomBytes(4).toString('hex')}`
  const from = new Date(now.getTime() - ATTESTED_DAYS * DAY_MS).toISOString().slice(0, 10)
  const [own, attested] = byDay(invoiceWork(now), from)
  console.log(
    `A tour of the registry at ${stack.base_url}: each command, and after → its shortened response.`,
  )

  const email = `ada-${slug}@example.com`
  const domain = `${slug}.example.com`
  const ada = { variable: 'ADA', token: await showSignIn(stack, api, email, 'ADA') }
  const grace = { variable: 'GRACE', token: await showSecondSignIn(stack, `grace-${slug}@example.com`) }
  const secret = await showPlatform(api, grace, slug, receiver.url)
  const began = own[0]?.at ?? now
  const reg = await showAgent(api, ada, { platform_slug: slug, homepage_url: `https://${domain}/` }, began)
  await showConfirmation(api, grace, slug, reg, began)
  await showDomain(api, stack, ada, { reg, domain, at: began })

  const keys = { variable: 'KEY', texts: await showKeys(api, ada, '/operators/me/api-keys', 'KEY') }
  step(
    'Report eleven days of work',
    'With API keys of its operator; each request sets the time at which the work happened. The first one:',
  )
  await showWork(api, keys, reg, own)
  await showScore(
    stack.base_url,
    reg,
    own.length,
    'Public, and computed when it is requested. The reports of an operator about its own agent count',
    'as three full days of work at most: without reports of others, no score exceeds 59.0.',
  )

  await showVerification(api, [
    { ...ada, ...ADA },
    { ...grace, ...GRACE },
  ])
  const path = `/platforms/${slug}/api-keys` as const
  const market = { variable: 'MARKET_KEY', texts: await showKeys(api, grace, path, 'MARKET_KEY') }
  step(
    'Report ten more days as the platform',
    'From now on, its reports have the source peer. Events that are already stored do not change.',
  )
  await showWork(api, market, reg, attested)
  await showIncident(api, market, reg, duplicateIncident(new Date()))
  const events = own.length + attested.length + 1
  const overall = await showScore(
    stack.base_url,
    reg,
    events,
    'The reports of one other verified person can raise it to 77.2. Only a platform that several',
    'verified operators work with can raise it further.',
  )
  await showJobs(stack.base_url)
  const verified = await showWebhooks(receiver, secret)
  await showVerdict(stack.base_url, reg)
  await showSignedRequest(stack.base_url, ada, reg)

  console.log(`
Done: agent ${reg}, trust score ${overall.toFixed(1)} from ${events} events, ${verified} webhooks verified.

  all endpoints    ${stack.base_url}/docs
  the code         docs/build/architecture.md

  its page         ${stack.base_url}/agents/${reg}
  its badge        ${stack.base_url}/agents/${reg}/badge.svg
  its console      ${stack.base_url}/console
                   sign in as ${email}: the link arrives at ${stack.mailbox_url}`)
}

/** Splits work into the part before a UTC day and the part from that day on. */
function byDay(work: readonly Happening[], day: string): [Happening[], Happening[]] {
  const isBefore = ({ at }: Happening) => at.toISOString().slice(0, 10) < day
  return [work.filter(isBefore), work.filter((event) => !isBefore(event))]
}

async function requireResponse(baseUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
  const response = await fetch(`${baseUrl}/health`, { signal }).catch(() => null)
  if (!response?.ok) throw new Error(`the stack at ${baseUrl} does not respond: start it with npm run dev`)
}

async function showPlatform(api: string, as: Session, slug: string, url: string): Promise<string> {
  step('Register a platform as Grace', 'Its webhooks go to a receiver that this demo starts and stops.')
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

async function showAgent(
  api: string,
  as: Session,
  where: { platform_slug: string; homepage_url: string },
  at: Date,
): Promise<string> {
  step(
    'Register an agent of Ada on it',
    'X-Test-Now sets the time of a request, only on a local stack: here, three weeks ago.',
    'The agent receives its permanent number, and the platform receives agent.registered.',
  )
  const { reg } = await showCall(api, {
    method: 'POST',
    path: '/agents',
    as,
    at,
    body: { ...AGENT, ...where },
    status: 201,
    shape: agentShape,
  })
  return reg
}

async function showConfirmation(api: string, as: Session, slug: string, reg: string, at: Date) {
  step(
    'Confirm the agent as Grace',
    'Until the platform confirms that the agent works on it, it receives at most five events per minute',
    "about incidents and scores of Ada's agents.",
  )
  const path = `/platforms/${slug}/agents/${reg}/confirm` as const
  await showCall(api, { method: 'POST', path, as, at, status: 200, shape: memberShape })
}

async function showKeys(
  api: string,
  as: Session,
  path: '/operators/me/api-keys' | `/platforms/${string}/api-keys`,
  variable: string,
): Promise<string[]> {
  step(
    'Create API keys',
    `A key allows 60 requests per minute, so each of ${KEYS} workers has its own. The first one:`,
  )
  const keys: string[] = []
  for (let worker = 1; worker <= KEYS; worker++) {
    const { key } = await (worker === 1 ? showCall : call)(api, {
      method: 'POST',
      path,
      as,
      body: { name: `worker ${worker}`, permissions: ['activity:report'] },
      status: 201,
      shape: keyShape,
    })
    if (worker === 1) say(`export ${variable}=${key}`)
    keys.push(key)
  }
  return keys
}

async function showJobs(baseUrl: string): Promise<void> {
  step(
    'Run the scheduled jobs once',
    'They add records to the transparency log, store a snapshot of the score, and send trust.updated.',
  )
  say('npm run -s cron')
  await runCron(baseUrl)
  say('→ done')
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
