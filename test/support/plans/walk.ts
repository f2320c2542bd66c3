import { connect } from '../../../src/db/client.ts'
import { countUnused } from '../../../src/kyc/store.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { dropMails } from '../../../src/mail/publish-store.ts'
import { makeUnsubscribeToken } from '../../../src/mail/unsubscribe-token.ts'
import { skipDigests } from '../../../src/notifications/digest-store.ts'
import { mondayOf } from '../../../src/notifications/week.ts'
import { leaveUnjudged } from '../../../src/platforms/establishment-store.ts'
import { pauseLog } from '../../../src/tlog/store.ts'
import { attestedAgent } from '../attested.ts'
import { newResources } from '../console-routes.ts'
import { consoleSteps, newVisitors } from '../console-steps.ts'
import { plus } from '../day.ts'
import { deliveriesOf, fillDeliveries, newIntegration, sendSigned } from '../deliveries.ts'
import { eventually } from '../fill.ts'
import type { Body, Harness } from '../harness.ts'
import { kycControl } from '../kyc.ts'
import { mailControl } from '../mail.ts'
import { agentId } from '../population.ts'
import { rightfulCaller } from '../rightful.ts'
import { webControl } from '../web.ts'
import { settingsOf } from '../worker-settings.ts'

/** Runs work under a name; it calls `functions` directly, not through the Worker. */
export type Step = (name: string, work: () => Promise<unknown>, functions?: string[]) => Promise<void>

/** The agents of one operator in the filled database, and a key of it. */
interface Filled {
  regs: string[]
  names: string[]
  key: string
}

const BATCH = 1_000
const SEARCHES = [
  'operator=10000000-0000-7000-8000-000000000001',
  'operator=10000000-0000-7000-8000-000000000001&class=A&status=active',
  'domain=agents.example.com',
  '',
  'q=w0000012',
  'q=assistant',
  'q=%22w0000012%22&class=A&status=active',
  'q=REG-2025-0001-00',
  'class=S&min_score=90',
  'specialization=t12',
  'platform=bench-7',
  'platform=bench-7&q=assistant',
  'status=deactivated',
  'operator_status=suspended',
  'operator_status=suspended&class=S',
  'ownership_status=verified',
  'page=500&per_page=20',
]
const LISTS = [
  '',
  'type=task_completed',
  'from=2020-01-01',
  'to=2100-01-01&type=none',
  'cursor=&per_page=50',
  'page=2',
]

/** Calls every route, runs every job and delivers every message, so that the Worker sends all its statements. */
export async function walk(h: Harness, step: Step, filled: Filled, worker: Parameters<typeof connect>[0]) {
  await h.qstash.setClock({ mode: 'virtual' }) // deliveries wait, and do not mix with other statements
  await askFilled(h, step, filled)
  await callRoutes(h, step)
  await report(h, step)
  await deliver(h, step)
  await walkConsole(h, step)
  await runJobs(h, step, filled, worker)
}

/** Reads, reports, and variants of searches and lists, for agents with the most rows. */
async function askFilled(h: Harness, step: Step, { regs, names, key: token }: Filled): Promise<void> {
  for (const path of ['/agents/{reg}', '/verify/{reg}', '/agents/{reg}/trust-score']) {
    await step(`GET ${path}`, () => h.api('GET', path.replace('{reg}', regs[0] ?? '')))
  }
  for (const path of ['/operators/me/dashboard', '/verify/{reg}/full']) {
    await step(`GET ${path}`, () => h.api('GET', path.replace('{reg}', regs[0] ?? ''), { token }))
  }
  const event = (n: number) => ({
    reg: regs[n % regs.length],
    event_type: 'task_completed',
    metadata: { response_ms: 1500, quality: 0.95 },
  })
  const events = Array.from({ length: BATCH }, (_, n) => event(n))
  await step('POST /activity/report', () => h.api('POST', '/activity/report', { token, body: event(0) }))
  await step('POST /activity/report/batch', () =>
    h.api('POST', '/activity/report/batch', { token, body: { events } }),
  )
  const name = names[0]?.split(' ')[1] ?? ''
  for (const query of [...SEARCHES, `q=${name.slice(0, 4)}${name[5]}${name[4]}${name.slice(6)}`]) {
    await step(`GET /agents/search?${query}`, () => h.api('GET', `/agents/search?${query}`))
  }
  for (const query of LISTS) {
    const path = `/agents/${regs[0]}/activity?${query}`
    await step(`public GET /activity?${query}`, () => h.api('GET', path))
    await step(`GET /activity?${query}`, () => h.api('GET', path, { token }))
  }
  for (const below of ['incidents', 'incidents?status=open', 'trust-score/history', 'trust-score/inputs'])
    await step(`GET /${below}`, () => h.api('GET', `/agents/${regs[0]}/${below}`))
  for (const filter of [
    '',
    'after=REG-2025-0001-0042-0',
    'operator=10000000-0000-7000-8000-000000000001',
    'platform=bench-7',
  ])
    await step(`the cards of agents?${filter}`, () => h.api('GET', `//agents/cards.txt?${filter}`))
  for (const below of ['', '/log', '/badge.svg', '/jwks.json', '/card.json'])
    await step(`the page of an agent${below}`, () => h.api('GET', `//agents/${regs[0]}${below}`))
}

async function callRoutes(h: Harness, step: Step): Promise<void> {
  const document = await h.openApi()
  for (const route of document.routes) {
    if (route.path === '/auth/callback') continue
    const caller = await rightfulCaller(h, document, route)
    await caller.ready()
    await step(route.name, async () => {
      const { status, text } = await caller.call(caller.path, caller.sample && { body: caller.sample })
      if (status >= 400) throw new Error(`${route.name}: ${status} ${text}`)
    })
  }
  const { path, cookie } = await h.walkToCallback()
  await step('GET /auth/callback', () => h.api('GET', path, { headers: { Cookie: cookie } }))
  await step('GET /ready', () => h.api('GET', '//ready'))
  const owner = await h.newOperator()
  const { slug } = await h.newPlatform(owner)
  const pages = ['/', '/agents?q=agents.example.com', '/agents?class=A&page=2']
  for (const path of [...pages, `/operators/${owner.id}`, `/platforms/${slug}`]) {
    await step(`GET ${path}`, () => h.api('GET', `/${path}`))
  }
}

/** Variants of a report: with an idempotency key, on a platform, with an incident or a state. */
async function report(h: Harness, step: Step): Promise<void> {
  const owner = await h.newOperator()
  const platform = await h.newPlatform(owner, { webhook_url: 'http://127.0.0.1:9/closed' })
  const headers = { 'Idempotency-Key': 'once' }
  const on = { platform_slug: platform.slug }
  let reg = ''
  for (const time of ['first', 'second']) {
    await step(`POST /agents, repeatable, on a platform: ${time}`, async () => {
      const body = { name: 'Scout', class: 'A', ...on }
      reg = (await h.api('POST', '/agents', { token: owner.token, headers, body })).body.reg
    })
  }
  const { key: token } = await h.newKey(owner)
  const kinds = [
    { event_type: 'incident', severity: 'critical' },
    { event_type: 'startup' },
    { event_type: 'x' },
  ]
  for (const kind of kinds) {
    const named = { 'Idempotency-Key': kind.event_type }
    const post = (more: object) =>
      h.api('POST', '/activity/report', { token, body: { reg, ...kind }, ...more })
    await step(`POST /activity/report ${kind.event_type}`, () => post({}))
    await step(`POST /activity/report ${kind.event_type}, repeatable`, () => post({ headers: named }))
  }
  const events = kinds.map((kind) => ({ reg, ...kind }))
  const batch = (more: object) =>
    h.api('POST', '/activity/report/batch', { token, body: { events }, ...more })
  await step('POST /activity/report/batch, mixed', () => batch({}))
  await step('POST /activity/report/batch, mixed, repeatable', () => batch({ headers }))
  const { body: incidents } = await h.api('GET', `/agents/${reg}/incidents`)
  for (const time of ['first', 'second']) {
    await step(`POST /incidents/{id}/resolve: ${time}`, () =>
      h.api('POST', `/incidents/${incidents.data[0].incident_id}/resolve`, {
        token: owner.token,
        body: { resolution: 'Fixed' },
      }),
    )
  }
  const patch = (body: object) => h.api('PATCH', `/agents/${reg}`, { token: owner.token, body })
  await step('PATCH /agents/{reg}, texts', () => patch({ name: 'Other', specializations: ['a'] }))
  for (const time of ['first', 'second']) {
    await step(`DELETE /platforms/{slug}/agents/{reg}: ${time}`, () =>
      h.api('DELETE', `/platforms/${platform.slug}/agents/${reg}`, { token: owner.token }),
    )
  }
  await step('PATCH /agents/{reg}, deactivated', () => patch({ status: 'deactivated' }))
}

/** The requests of QStash and the identity provider. */
async function deliver(h: Harness, step: Step): Promise<void> {
  await step('deliveries that nobody takes', () => h.qstash.runUntilIdle())
  await h.qstash.setClock({ mode: 'real' })
  const attempted = (platform: Body, count: number) =>
    eventually(
      () => deliveriesOf(h, platform),
      (all) => all.filter((one) => one.attempts > 0 && one.lease_until === null).length >= count,
    )
  for (const [count, status] of [200, 500, 410].entries()) {
    const { operator, platform, receiver, stop } = await newIntegration(h)
    receiver.respond(status)
    await step(`a delivery that gets a ${status}`, async () => {
      await h.newAgent(operator, { platform_slug: platform.slug })
      await attempted(platform, 1)
    })
    if (count === 0) {
      await step('POST /platforms/{slug}/webhook-test, delivered', async () => {
        await h.api('POST', `/platforms/${platform.slug}/webhook-test`, {
          token: operator.token,
          body: { type: 'agent.updated' },
        })
        await attempted(platform, 2)
      })
    }
    await stop()
  }
  const { platform, ask, stop } = await newIntegration(h)
  await fillDeliveries(h, platform.slug, [{ status: 'failed', at: new Date(Date.now() - HOUR_MS) }])
  await step('POST /platforms/{slug}/deliveries/recover, with something', async () => {
    const since = new Date(Date.now() - DAY_MS).toISOString()
    const { body } = await ask('POST', '/deliveries/recover', { body: { since } })
    if (body.count !== 1) throw new Error(`recovered ${body.count}`)
  })
  await stop()
  const post = async (path: string, message: object) => {
    const response = await sendSigned(h, path, message)
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${response.text}`)
  }
  const source = { delivery_id: agentId(0), attempt: 1, host: null }
  await step('QStash: a failed message', () =>
    post('/internal/qstash/failed', { sourceBody: btoa(JSON.stringify(source)) }),
  )
  await step('QStash: a page of snapshots', () =>
    post('/internal/qstash/snapshots', { from: agentId(0), until: null, at: new Date().toISOString() }),
  )
  const { operator, reg, key } = await h.newReporter()
  await h.report(key, reg, { event_type: 'incident' })
  const [mail] = await h.sql('select id from mails where operator_id = $1', [operator.id])
  await step('QStash: a mail', () => post('/internal/qstash/mail', { mail_id: mail.id }))
  const other = await h.newReporter()
  await h.report(other.key, other.reg, { event_type: 'incident' })
  await h.suspend(other.operator)
  const [unwanted] = await h.sql('select id from mails where operator_id = $1', [other.operator.id])
  await step('QStash: a mail that is not wanted', () =>
    post('/internal/qstash/mail', { mail_id: unwanted.id }),
  )
  await step('Resend: a bounce', () => mailControl(h).tell('email.bounced', operator.email))
  await step('a link that unsubscribes', async () => {
    const token = await makeUnsubscribeToken(settingsOf(h.dir).IDENTITY_KEY ?? '', {
      operator_id: operator.id,
      type: 'incident_alert',
    })
    const { status, text } = await h.api('POST', `//unsubscribe/${token}`)
    if (status !== 200) throw new Error(`unsubscribe: ${status} ${text}`)
  })
  const kyc = kycControl(h)
  await step('an identity check, verified', () => kyc.verifiedOperator())
  const failed = await h.newOperator()
  await step('an identity check, failed', async () => {
    await h.api('POST', '/operators/me/kyc/start', { token: failed.token })
    await kyc.send('requires_input', await kyc.openSession(failed))
  })
}

/** Opens console pages and sends forms, whose statements no API route sends. */
async function walkConsole(h: Harness, step: Step): Promise<void> {
  const next = await newVisitors(h)
  const reader = next()
  const resources = await newResources(h, reader.operator)
  const filtered = '/console/agents?status=active'
  await step(`GET ${filtered}`, () => reader.visitor.get(filtered))
  for (const [route, , prepare] of consoleSteps(h)) {
    const isRead = route.startsWith('GET ')
    const { operator, visitor } = isRead ? reader : next()
    const send = await prepare(operator, visitor, isRead ? resources : undefined)
    await step(route, async () => {
      const { status, text } = await send()
      if (status >= 400) throw new Error(`${route}: ${status} ${text}`)
    })
  }
}

/** The jobs at the current time, when all scores are a day old, and on days on which other jobs have work. */
async function runJobs(
  h: Harness,
  step: Step,
  { regs, key: token }: Filled,
  worker: Parameters<typeof connect>[0],
): Promise<void> {
  const owner = await h.newOperator()
  const { reg } = await h.newAgent(owner)
  await webControl(h).prove(reg, owner)
  const { agent, key } = await attestedAgent(h, { source: 'peer' })
  await h.report(key, agent.reg)
  await h.qstash.setClock({ mode: 'virtual' }) // messages of the jobs are not delivered
  // A full page of platforms to evaluate, and part of a second one.
  await h.sql(
    "update platforms set judged_day = '2999-01-01' where id not in (select id from platforms order by id limit 250)",
  )
  await h.sql('vacuum analyze platforms')
  const now = new Date()
  await step('jobs, today', () => h.cron(now))
  await h.sql('update agent_stats set unscored_since = null, scored_day = null')
  await h.sql('vacuum analyze agent_stats')
  const monday = new Date(`${mondayOf(plus(7 * DAY_MS, now))}T09:00:00Z`)
  for (const path of ['checkpoint', 'info.json', 'tile/0/000', 'tile/entries/000', 'proof/0'])
    await step(`GET /log/${path}`, async () => {
      const { status, text } = await h.api('GET', `//log/${path}`)
      if (status !== 200) throw new Error(`/log/${path}: ${status} ${text}`)
    })
  for (const query of ['', 'kind=day', 'limit=1000'])
    await step(`GET /log-entries?${query}`, () =>
      h.api('GET', `/agents/${regs[0]}/log-entries?${query}`, { token }),
    )
  await step('jobs, on Monday', () => h.cron(monday))
  await step('jobs, after two weeks', () => h.cron(plus(14 * DAY_MS, now)))
  await h.sql("update ownership_challenges set checked_at = '2999-01-01' where domain = 'a.example'")
  await h.sql('vacuum analyze ownership_challenges')
  await step('jobs, before a verification ends', () => h.cron(plus(345 * DAY_MS, now)))
  await step('jobs, after it', () => h.cron(plus(366 * DAY_MS, now)))
  // Only what fails leads there.
  const db = connect(worker, AbortSignal.timeout(10_000))
  await step('a digest that cannot be made', () => skipDigests(db, now, [owner.id]), [
    'notifications/digest-store.ts skipDigests',
  ])
  await step('mails where no provider is set', () => dropMails(db), ['mail/publish-store.ts dropMails'])
  await step('a platform that cannot be judged', () => leaveUnjudged(db, agent.id, '2026-11-21'), [
    'platforms/establishment-store.ts leaveUnjudged',
  ])
  await step('a log that is not continued', () => pauseLog(db, 'fork'), ['tlog/store.ts pauseLog'])
  await step('a session of the identity provider that is not used', () => countUnused(db, owner.id, 0, now), [
    'kyc/store.ts countUnused',
  ])
}
