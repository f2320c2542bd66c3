import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JOBS } from '../../src/jobs/index.ts'
import { readAlerts, readBy } from '../support/alerts.ts'
import { readPage } from '../support/docs-table.ts'

const SRC = join(import.meta.dirname, '../../src')
/** The file that defines `log`, the only one that writes to the console. */
const WRITER = 'lib/log.ts'

/** The files of the Worker, by their paths below src. */
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))

/** The log lines whose names appear in a text. */
const linesOf = (text: string) =>
  [...text.matchAll(/(?<![\w.])log\(\s*'(\w+)',\s*'(\w+)'/g)].map(([, level = '', event = '']) => ({
    level,
    event,
    text,
  }))

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

it('explains all log lines that the Worker can write', () => {
  const section = /^## Log lines\n(.*?)^## /ms.exec(runbook)?.[1] ?? ''
  const rows = [...section.matchAll(/^\| (\w+) \| <a id="line-(\w+)"><\/a>`\2` \| .+? \| .+? \|$/gm)]
  const explained = rows.map(([, level, event]) => `${level} ${event}`)
  const written = new Set(lines.map(({ level, event }) => `${level} ${event}`))
  expect(explained.sort()).toEqual([...written].sort())
})

it('can find the log lines in the source: each has a literal name and is written by the log', () => {
  for (const { file, text } of sources) {
    const calls = [...text.matchAll(/(?<![\w./])log\(/g)].length
    expect(linesOf(text).length, file).toBe(calls - (file === WRITER ? 1 : 0))
    if (file !== WRITER) expect(text, file).not.toMatch(/\bconsole\.\w/)
  }
})
