import { readFileSync } from 'node:fs'
import { parser } from '@grafana/lezer-logql'
import { parse } from 'yaml'
import * as z from 'zod'

const DURATION = /^\d+[mhd]$/
const NAME = /^[A-Z][A-Za-z]+$/

/** The allowed rules: those of Loki's ruler, which are Prometheus rules with LogQL. */
const file = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(NAME),
          expr: z.string(),
          for: z.string().regex(DURATION).optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
})

export type Alert = z.infer<typeof file>['groups'][number]['rules'][number]

/** The alerts of docs/operate/alerts.yaml. */
export function readAlerts(): Alert[] {
  const text = readFileSync(new URL('../../docs/operate/alerts.yaml', import.meta.url), 'utf8')
  return file.parse(parse(text)).groups.flatMap(({ rules }) => rules)
}

/** A log query within an expression. */
export interface LogQuery {
  /** The query on its own. */
  query: string
  service: string
  event: string
  /** The paths of the fields that it extracts from a line. */
  paths: string[]
  /** Its conditions on these fields. */
  filters: { path: string; operator: string; value: string }[]
}

/**
 * Finds the log queries in a LogQL expression.
 *
 * @throws Error when it is malformed, or filters by a field that it does not extract
 */
export function logQueriesOf(expr: string): LogQuery[] {
  const ranges: LogQuery[] = []
  const tree = parser.parse(expr)
  tree.iterate({
    enter(node) {
      const { name, type, from, to } = node
      if (type.isError) throw new Error(`malformed at ${from}: ${expr}`)
      if (name === 'LogRangeExpr') ranges.push(toLogQuery(expr.slice(from, to)))
    },
  })
  if (ranges.length === 0) throw new Error(`has no log query: ${expr}`)
  return ranges
}

function toLogQuery(range: string): LogQuery {
  const query = range.replace(/ \[\w+\]$/, '')
  const [, service = ''] = /^\{service_name="([\w-]+)"\}/.exec(query) ?? []
  const taken = new Map<string, string>()
  const filters: LogQuery['filters'] = []
  for (const stage of query.split(' | ').slice(1)) {
    if (stage.startsWith('json ')) {
      for (const [, label = '', path = ''] of stage.matchAll(/(\w+)="([\w.]+)"/g)) taken.set(label, path)
      continue
    }
    const [, label = '', operator = '', value = ''] = /^(\w+) ?(=~|!=|=|>) ?(.+)$/.exec(stage) ?? []
    if (label === '__error__') continue
    const path = taken.get(label)
    if (path === undefined) throw new Error(`${stage}: not extracted from the line`)
    filters.push({ path, operator, value })
  }
  const event = filters.find(({ path }) => path === 'event')?.value.replaceAll('"', '') ?? ''
  return { query, service, event, paths: [...taken.values()], filters }
}
