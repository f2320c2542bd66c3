import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { call } from '../scripts/support/call.ts'
import { say } from '../scripts/support/print.ts'
import { readStackFile } from '../scripts/support/stack-file.ts'
import { DAY_MS } from '../src/lib/time.ts'
import { runCron } from './cron.ts'
import { showCall } from './demo/call.ts'
import { showDomain } from './demo/domain.ts'
import { showVerification } from './demo/identity.ts'
import { quote, step } from './demo/print.ts'
import { type Receiver, startReceiver } from './demo/receiver.ts'
import { showIncident, showWork } from './demo/report.ts'
import { showScore } from './demo/score.ts'
import { showSecondSignIn, showSignIn } from './demo/sign-in.ts'
import { showToken } from './demo/token.ts'
import { showTransparency } from './demo/transparency.ts'
import { AWAITED, showWebhooks } from './demo/webhooks.ts'
import { duplicateIncident, firstMoment, type Happening, invoiceWork } from './demo/workload.ts'

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
  console.log(`A walk through the registry at ${stack.base_url}: what to type, and → the response in short.`)

  const email = `ada-${slug}@example.com`
  const domain = `${slug}.example.com`
  const ada = { variable: 'ADA', token: await showSignIn(stack, api, email, 'ADA') }
  const grace = { variable: 'GRACE', token: await showSecondSignIn(stack, `grace-${slug}@example.com`) }
  const secret = await showPlatform(api, grace, slug, receiver.url)
  const began = firstMoment(now)
  const reg = await showAgent(api, ada, { platform_slug: slug, homepage_url: `https://${domain}/` }, began)
  await showDomain(api, stack, ada, { reg, domain, at: began })

  const keys = { variable: 'KEY', texts: await showKeys(api, ada, '/operators/me/api-keys', 'KEY') }
  step(
    'Report eleven days of work',
    'With the agent’s own keys, each call with the time at which the work happened; the first:',
  )
  const claimed = await showWork(api, keys, reg, own)
  await showScore(
    api,
    reg,
    claimed,
    'Public, and computed at the moment of the question. What an operator says of its own agent',
    'counts as three full days of work at most: without the word of others nothing exceeds 59.0.',
  )

  await showVerification(api, [
    { ...ada, ...ADA },
    { ...grace, ...GRACE },
  ])
  const path = `/platforms/${slug}/api-keys` as const
  const market = { variable: 'MARKET_KEY', texts: await showKeys(api, grace, path, 'MARKET_KEY') }
  step(
    'Report ten days more as the platform',
    'From now on its reports are a peer’s, and stay so; what is stored already does not change.',
  )
  const reported = await showWork(api, market, reg, attested)
  const incident = duplicateIncident(new Date())
  const log = [...claimed, ...reported, await showIncident(api, market, reg, incident)]
  const overall = await showScore(
    api,
    reg,
    log,
    'What one other verified person says carries it up to 77.2. Only a platform that several',
    'verified operators work with carries it further.',
  )
  await showJobs(stack.base_url)
  const verified = await showWebhooks(receiver, secret, { reg, log })
  const head = await showTransparency(stack.base_url, reg, String(incident.metadata.title))
  await showToken(stack.base_url, reg, head)

  console.log(`
Done: agent ${reg}, trust score ${overall.toFixed(1)} of ${log.length} events, ${verified} webhooks verified.

  check its score npm run -s trust:verify -- ${stack.base_url} ${reg}
  check its log   npm run -s log:verify -- ${stack.base_url} ${reg}
  all endpoints   ${stack.base_url}/docs
  the checks      ${stack.kyc_url}
  the code tour   docs/architecture.md

  its page        ${stack.base_url}/agents/${reg}
  its badge       ${stack.base_url}/agents/${reg}/badge.svg
  its console     ${stack.base_url}/console
                  sign in as ${email}: the link arrives at ${stack.mailbox_url}`)
}

/** Parts work into that before a UTC day and that from it on. */
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
  step('Register a platform as Grace', 'Its webhooks go to a receiver that this demo has started, and ends.')
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
    'X-Test-Now sets the time of a request, on a local stack only: this was three weeks ago.',
    'The agent receives its permanent number, and the platform agent.registered.',
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

async function showKeys(
  api: string,
  as: Session,
  path: '/operators/me/api-keys' | `/platforms/${string}/api-keys`,
  variable: string,
): Promise<string[]> {
  step(
    'Make API keys',
    `A key may make 60 calls a minute, so each of ${KEYS} workers has one; the first, as all are made:`,
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
    'They log what was recorded, write the score into its history, and send trust.updated.',
  )
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
