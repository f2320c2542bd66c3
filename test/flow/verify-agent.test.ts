import { verifyAgent } from '@agentreg/verify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { ownStack } from '../support/harness.ts'
import { closeDays } from '../support/logged.ts'
import {
  type GetVerdict,
  type Tampering,
  verdictInBrowser,
  verdictInNode,
  verdictInWorkerd,
} from '../support/verdicts.ts'

const TASKS = 6 // of each of two finished days
const DIGITS = [0, 7, 41]
/**
 * Every response that a verdict depends on. Of the checkpoint only the note with the log's signature: cosignatures of
 * witnesses count only if a policy requires them.
 */
const PARTS: Omit<Tampering, 'digit'>[] = [
  { part: '/trust-score/inputs' },
  { part: '/token' },
  { part: '/.well-known/jwks.json' },
  { part: '/checkpoint', lines: 5 },
  { part: '/tile/' },
  { part: '/log-entries' },
  { part: '/incidents' },
]

const own = await ownStack()
afterAll(own.stop)

let runtimes: Record<string, GetVerdict> = {}
let stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  vi.stubEnv('CLOUDFLARE_CF_FETCH_ENABLED', 'false') // nothing leaves the machine
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
  const [node, workerd, browser] = await Promise.all([
    verdictInNode(),
    verdictInWorkerd(),
    verdictInBrowser(own.base_url),
  ])
  if (!browser) console.log('no Chromium found: skipping the browser, testing only Node and workerd')
  runtimes = {
    node,
    workerd: workerd.getVerdict,
    ...(browser && { browser: browser.getVerdict }),
  }
  stops = [workerd.stop, ...(browser ? [browser.stop] : [])]
})
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
  vi.unstubAllEnvs()
})

/** An agent with a score, whose finished days are in the log. */
async function newLogged() {
  const made = await own.newReporter()
  for (const daysAgo of [2, 1]) {
    const task = { reg: made.reg, event_type: 'task_completed', metadata: { quality: 0.9, response_ms: 900 } }
    const incident = {
      reg: made.reg,
      event_type: 'incident',
      severity: 'warning',
      metadata: { title: 'Down' },
    }
    const events = [...Array.from({ length: TASKS }, () => task), incident]
    await own.reportBatch(made.key, events, new Date(Date.now() - daysAgo * DAY_MS))
  }
  await closeDays(own)
  return made
}

/** Returns the verdict of all runtimes, and expects that they agree. */
async function verdictOf(reg: string, tampering?: Parameters<GetVerdict>[2]) {
  const requested = Object.entries(runtimes).map(async ([name, getVerdict]) => {
    const { verdict, checks, score } = await getVerdict(own.base_url, reg, tampering)
    const judged = { verdict, checks: checks.map(({ name, ok }) => [name, ok]), score }
    return { name, judged, details: checks }
  })
  const said = await Promise.all(requested)
  for (const { name, judged, details } of said)
    expect(judged, `${name}: ${JSON.stringify(details)}`).toEqual(said[0]?.judged)
  return said[0]?.judged.verdict
}

describe('the verdict in Node, workerd, and a browser', () => {
  it('is verified for an active agent, and for one whose operator is suspended', async () => {
    const { reg, operator } = await newLogged()
    expect(await verdictOf(reg)).toBe('verified')
    await own.suspend(operator)
    await own.cron()
    expect(await verdictOf(reg)).toBe('verified')
  })

  it('is not verified if one digit is changed in any response', async () => {
    const { reg } = await newLogged()
    const tried = PARTS.map(async (part) => {
      for (const digit of DIGITS)
        expect([part, digit, await verdictOf(reg, { ...part, digit })]).not.toEqual([part, digit, 'verified'])
    })
    await Promise.all(tried)
  })

  it('is verified for an agent with too little activity for a score', async () => {
    const { reg } = await own.newReporter()
    await own.cron()
    expect(await verdictOf(reg)).toBe('verified')
  })

  it('is failed for an active agent whose score is that of an earlier day', async () => {
    const { reg } = await own.newReporter()
    await own.cron()
    const earlier = new Date(Date.now() - 2 * DAY_MS).toISOString()
    const { verdict, checks } = await verifyAgent(own.base_url, reg, {
      fetch: (url, init) =>
        fetch(url, url.includes('/trust-score') ? { ...init, headers: { 'X-Test-Now': earlier } } : init),
    })
    expect(checks.filter(({ ok }) => ok === false)).toMatchObject([
      { name: 'token', detail: /its score is of 2/ },
    ])
    expect(verdict).toBe('failed')
  })

  it('is unknown_agent for a number that the registry does not have', async () => {
    expect(await verdictOf('REG-2026-0001-0042-U')).toBe('unknown_agent')
  })
})
