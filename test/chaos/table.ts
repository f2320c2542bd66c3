import { toTable } from '../support/docs-table.ts'
import type { Result } from './case.ts'

const COLUMNS = [
  'fault',
  'writes sent',
  'succeeded',
  'failed but stored',
  'stored after retries',
  'stored twice',
  'lost',
  'webhooks expected',
  'webhooks delivered',
  'log leaves = events',
  'seconds',
]

export const faultTable = (results: readonly Result[]) => toTable(COLUMNS, results.map(cells))

function cells({ name, seconds, balance, skipped, failure }: Result): string[] {
  if (skipped || !balance)
    return [
      name,
      skipped ? `skipped: ${skipped}` : `failed: ${failure}`,
      ...Array(COLUMNS.length - 2).fill(''),
    ]
  const { sent, succeeded, done, found, doubled, lost, expected, arrived, leaves, events } = balance
  return [
    name,
    ...[sent, succeeded, done, found, doubled, lost, expected, arrived].map(String),
    `${leaves} = ${events}`,
    String(Math.round(seconds)),
  ]
}
