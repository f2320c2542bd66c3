import { readFileSync } from 'node:fs'
import { parser } from '@grafana/lezer-logql'
import { parse } from 'yaml'
import * as z from 'zod'

const DURATION = /^\d+[mhd]$/
const NAME = /^[A-Z][A-Za-z]+$/

/** The rules that may stand in the file: those of Loki's ruler, which are Prometheus' with LogQL. */
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

/** The alerts of docs/alerts.yaml. */
export function readAlerts(): Alert[] {
  const text = readFileSync(new URL('../../docs/alerts.yaml', import.meta.url), 'utf8')
  return file.parse(parse(text)).groups.flatMap(({ rules }) => rules)
}

/** A look for log lines within an expression. */
export interface Look {
  /** As it can be asked for itself. */
  query: string
  service: string
  event: string
  /** The fields that it takes from a line, by path. */
  paths: string[]
  /** Its conditions, on those fields. */
  filters: { path: string; operator: string; value: string }[]
}

/**
 * Takes a LogQL expression apart.
 *
 * @throws Error when it is malformed, or filters by what it does not take from the line
 */
export function looksOf(expr: string): Look[] {
  const ranges: Look[] = []
  const tree = parser.parse(expr)
  tree.iterate({
    enter(node) {
      const { name, type, from, to } = node
      if (type.isError) throw new Error(`malformed at ${from}: ${expr}`)
      if (name === 'LogRangeExpr') ranges.push(toLook(expr.slice(from, to)))
    },
  })
  if (ranges.length === 0) throw new Error(`asks for no line: ${expr}`)
  return ranges
}

function toLook(range: string): Look {
  const query = range.replace(/ \[\w+\]$/, '')
  const [, service = ''] = /^\{service_name="([\w-]+)"\}/.exec(query) ?? []
  const taken = new Map<string, string>()
  const filters: Look['filters'] = []
  for (const stage of query.split(' | ').slice(1)) {
    if (stage.startsWith('json ')) {
      for (const [, label = '', path = ''] of stage.matchAll(/(\w+)="([\w.]+)"/g)) taken.set(label, path)
      continue
    }
    const [, label = '', operator = '', value = ''] = /^(\w+) ?(=~|!=|=|>) ?(.+)$/.exec(stage) ?? []
    if (label === '__error__') continue
    const path = taken.get(label)
    if (path === undefined) throw new Error(`${stage}: not taken from the line`)
    filters.push({ path, operator, value })
  }
  const event = filters.find(({ path }) => path === 'event')?.value.replaceAll('"', '') ?? ''
  return { query, service, event, paths: [...taken.values()], filters }
}
