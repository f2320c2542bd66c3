import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JOBS } from '../../src/jobs/index.ts'
import { type Alert, type LogQuery, logQueriesOf, readAlerts } from '../support/alerts.ts'
import { readPage, syncTable } from '../support/docs-table.ts'
import { linesOf, sources } from '../support/log-lines.ts'

const alerts = readAlerts()
const lines = sources.flatMap(({ text }) => linesOf(text))
const looks = alerts.flatMap(({ expr }) => logQueriesOf(expr))

it('rejects a rule that is malformed, or filters by a field that it does not extract', () => {
  expect(() => logQueriesOf('sum(count_over_time({service_name="x"} | json event="event" [5m])) >')).toThrow(
    /malformed/,
  )
  expect(() => logQueriesOf('count_over_time({service_name="x"} | json | event="ready" [5m])')).toThrow(
    /not extracted/,
  )
})

it('has an alert for each log line of level warning or error, and none for lines that are never written', () => {
  const requested = new Set(looks.map(({ event }) => event))
  const trouble = lines.flatMap(({ level, event }) => (level === 'info' ? [] : [event]))
  expect(trouble.length).toBeGreaterThan(10)
  expect(trouble.filter((event) => !requested.has(event))).toEqual([])
  expect([...requested].filter((event) => !lines.some((line) => line.event === event))).toEqual([])
})

it('has an alert for each field of /ready that needs somebody to act at once', () => {
  const table = /^\| in `\/ready`.*?\n\n/ms.exec(readPage('operate/runbook.md'))?.[0] ?? ''
  const anchors = [...table.matchAll(/<a id="(ready-\w+)">/g)].map(([, id]) => id)
  const named = alerts.map(({ annotations }) => annotations.runbook_url.split('#')[1])
  expect(anchors.length).toBeGreaterThan(8)
  expect(anchors.filter((id) => !named.includes(id))).toEqual([])
})

it.each(looks.map((look): [string, LogQuery] => [look.query, look]))(
  '%s uses fields that its log line has',
  (_, look) => {
    const { event, paths } = look
    const text = lines.filter((line) => line.event === event).map((line) => line.text)
    for (const path of paths.filter((one) => one !== 'event')) {
      const [name = ''] = path.split('.')
      expect(
        text.some((one) => new RegExp(`\\b${name}\\b`).test(one)),
        path,
      ).toBe(true)
    }
  },
)

it('queries the logs of the Worker in production', () => {
  const config = readFileSync(join(import.meta.dirname, '../../wrangler.toml'), 'utf8')
  const [, name] = /^\[env\.production\]\nname = "(.+)"$/m.exec(config) ?? []
  expect(new Set(looks.map(({ service }) => service))).toEqual(new Set([name]))
})

it('JobsNotRun expects every job', () => {
  const { expr } = alerts.find(({ alert }) => alert === 'JobsNotRun') ?? {}
  expect(expr).toMatch(new RegExp(` < ${Object.keys(JOBS).length}$`))
})

it('has a unique name and an existing runbook section for each alert', () => {
  const anchors = new Set(
    [...readPage('operate/runbook.md').matchAll(/<a id="([\w-]+)">/g)].map(
      ([, id]) => `docs/operate/runbook.md#${id}`,
    ),
  )
  const links = alerts.map(({ annotations }) => annotations.runbook_url)
  expect(links.filter((link) => !anchors.has(link))).toEqual([])
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
})

it('docs/operate/alerts.md has a query for each alert', () => {
  const { asIs, wanted } = syncTable('operate/alerts.md', 'alerts', alerts.map(toSection).join('\n\n'))
  expect(asIs).toBe(wanted)
})

function toSection({ alert, expr, labels, annotations, for: lasting }: Alert): string {
  const [look] = logQueriesOf(expr)
  if (!look) return ''
  const runbook = annotations.runbook_url.replace('docs/operate/', '')
  const filters = look.filters.map(
    ({ path, operator, value }) => `\`${path}\` ${WORDS[operator]} \`${value.replaceAll('"', '')}\``,
  )
  return [
    `### ${alert}`,
    '',
    `**${labels.severity}**${lasting ? `, when it has lasted ${lasting}` : ''} · ${annotations.summary}. [What to do](${runbook})`,
    '',
    '```logql',
    look.query,
    '```',
    '',
    `Workers Logs: ${filters.join(', ')}`,
  ].join('\n')
}

const WORDS: Record<string, string> = { '=': '=', '!=': '≠', '=~': 'matches', '>': '>' }
