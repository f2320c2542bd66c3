import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'

/** The allowed rules: those of Loki's ruler, which are Prometheus rules with LogQL. */
const file = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[mhd]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
})

/** The alerts of docs/operate/alerts.yaml. */
export function readAlerts() {
  const text = readFileSync(new URL('../../docs/operate/alerts.yaml', import.meta.url), 'utf8')
  return file.parse(parse(text)).groups.flatMap(({ rules }) => rules)
}

/** What the queries of an expression read: the service, the events, and the paths of fields of their log lines. */
export function readBy(expr: string) {
  const found = (pattern: RegExp) => [...expr.matchAll(pattern)].map(([, text = '']) => text)
  return {
    services: found(/service_name="([\w-]+)"/g),
    events: found(/\| event=~?"([\w|]+)"/g).flatMap((names) => names.split('|')),
    paths: found(/(?:json |, )\w+="([\w.]+)"/g).filter((path) => path !== 'event'),
  }
}
