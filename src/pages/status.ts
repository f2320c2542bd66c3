import { Hono } from 'hono'
import { freshReport, type Report } from '../health/report.ts'
import type { App } from '../http/context.ts'
import { count, type Html, html, second, when } from './html.ts'
import { respond } from './respond.ts'
import { table } from './table.ts'

const SUMMARY = {
  ok: { tone: 'good', heading: 'Everything works', summary: 'All parts of the registry respond.' },
  degraded: {
    tone: 'warn',
    heading: 'Working, with restrictions',
    summary: 'The registry responds, but a service that it depends on does not. See below what is delayed.',
  },
  down: {
    tone: 'bad',
    heading: 'Not available',
    summary: 'The registry cannot read or store anything at the moment.',
  },
} as const satisfies Record<Report['status'], { tone: string; heading: string; summary: string }>

/** The report of `/ready` as a page: not rate-limited, and from the same cache of five seconds. */
export const statusPages = new Hono<App>().get('/status', async (c) => {
  const report = await freshReport(c)
  const { tone, heading, summary } = SUMMARY[report.status]
  c.header('Cache-Control', 'no-store')
  return respond(
    c,
    {
      title: `Status: ${heading.toLowerCase()}`,
      description: 'Whether the registry and its parts work at the moment.',
      path: '/status',
      json: '/ready',
      main: html`<h1>Status</h1>
<section class="note ${tone}"><h2>${heading}</h2><p>${summary}</p>
<p class="hint">Checked ${when(report.checked_at, c.get('now')())}, at ${second(report.checked_at)}</p></section>
<h2>Parts</h2>
${table('Parts', 'Part | State', partsOf(report))}
<h2>Pending work</h2>
${table('Pending work', 'Work | Oldest has waited', waitsOf(report))}
<details><summary>Scheduled jobs</summary>
${table('Scheduled jobs', 'Job | Last success', jobsOf(report, c.get('now')()))}</details>`,
    },
    { status: report.postgres === 'ok' ? 200 : 503 },
  )
})

const row = (label: Html | string, cell: Html | string) =>
  html`<tr><th scope="row">${label}</th><td>${cell}</td></tr>`

const OK = html`<span class="tag good">✓ works</span>`
const DOWN = html`<span class="tag bad">✕ down</span>`

function partsOf({ postgres, redis, qstash, log }: Report): Html[] {
  return [
    part('Registry', 'Agents, operators, platforms, logs, and scores', postgres === 'ok' ? OK : DOWN),
    part(
      'Limits',
      'Counts requests; while it is down, sign-ins and new API keys are rejected',
      redis === 'ok' ? OK : DOWN,
    ),
    part('Delivery', 'Sends webhooks; while it is down, they wait', qstash === 'ok' ? OK : DOWN),
    part(
      'Transparency log',
      log?.size && log.state !== 'off'
        ? `${count(log.signed_size)} of ${count(log.size)} entries are signed`
        : 'Makes recorded events publicly verifiable',
      log === null ? html`<span class="tag">unknown</span>` : LOG[log.state],
    ),
  ]
}

const part = (name: string, what: string, state: Html) =>
  row(html`${name}<br><small class="quiet">${what}</small>`, state)

const LOG = {
  ok: OK,
  off: html`<span class="tag">off</span>`,
  paused: html`<span class="tag bad">✕ paused</span>`,
  behind: html`<span class="tag bad">✕ behind</span>`,
} as const

function waitsOf(report: Report): Html[] {
  return [
    row('Webhooks that are due', wait(report.oldest_pending_delivery_seconds, report)),
    row('Emails that are due', wait(report.oldest_pending_mail_seconds, report)),
    row('Agents with new events to be scored', wait(report.oldest_unscored_agent_seconds, report)),
    row('Events to be added to the transparency log', wait(report.oldest_unlogged_event_seconds, report)),
  ]
}

function wait(seconds: number | null, { postgres }: Report): string {
  if (seconds === null) return postgres === 'ok' ? 'nothing pending' : 'unknown'
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`
}

function jobsOf({ jobs }: Report, now: Date): Html[] {
  const names = Object.keys(jobs).sort()
  if (names.length === 0) return [row('Jobs', 'unknown')]
  return names.map((name) => row(name.replaceAll('_', ' '), when(jobs[name] ?? '', now)))
}
