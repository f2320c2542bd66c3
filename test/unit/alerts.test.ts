import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JOBS } from '../../src/jobs/index.ts'
import { readAlerts, readBy } from '../support/alerts.ts'
import { readPage } from '../support/docs-table.ts'
import { linesOf, sources } from '../support/log-lines.ts'

const alerts = readAlerts()
const lines = sources.flatMap(({ text }) => linesOf(text))
const runbook = readPage('operate/runbook.md')

it('has an alert for each log line of level warning or error, and none for lines that are never written', () => {
  const requested = new Set(alerts.flatMap(({ expr }) => readBy(expr).events))
  const trouble = lines.flatMap(({ level, event }) => (level === 'info' ? [] : [event]))
  expect(trouble.length).toBeGreaterThan(10)
  expect(trouble.filter((event) => !requested.has(event))).toEqual([])
  expect([...requested].filter((event) => !lines.some((line) => line.event === event))).toEqual([])
})

it('has an alert for each field of /ready that needs somebody to act at once', () => {
  const table = /^\| in `\/ready`.*?\n\n/ms.exec(runbook)?.[0] ?? ''
  const anchors = [...table.matchAll(/<a id="(ready-\w+)">/g)].map(([, id]) => id)
  const named = alerts.map(({ annotations }) => annotations.runbook_url.split('#')[1])
  expect(anchors.length).toBeGreaterThan(8)
  expect(anchors.filter((id) => !named.includes(id))).toEqual([])
})

it.each(alerts)('$alert queries the Worker in production, by fields that its log lines have', ({ expr }) => {
  const { services, events, paths } = readBy(expr)
  const config = readFileSync(join(import.meta.dirname, '../../wrangler.toml'), 'utf8')
  const [, name] = /^\[env\.production\]\nname = "(.+)"$/m.exec(config) ?? []
  expect(new Set(services)).toEqual(new Set([name]))
  const text = lines.filter(({ event }) => events.includes(event)).map((line) => line.text)
  for (const path of paths) {
    const [field = ''] = path.split('.')
    expect(text.join('\n'), path).toMatch(new RegExp(`\\b${field}\\b`))
  }
})

it('JobsMissing expects every job', () => {
  const { expr } = alerts.find(({ alert }) => alert === 'JobsMissing') ?? {}
  expect(expr).toMatch(new RegExp(` < ${Object.keys(JOBS).length}$`))
})

it('has a unique name for each alert, which the runbook names once, in the entry that the alert links to', () => {
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  for (const { alert, annotations } of alerts) {
    const [page, anchor] = annotations.runbook_url.split('#')
    expect(page).toBe('docs/operate/runbook.md')
    const entries = runbook.split('\n').filter((line) => new RegExp(`\\b${alert}\\b`).test(line))
    expect(entries, alert).toEqual([expect.stringContaining(`<a id="${anchor}">`)])
  }
})
