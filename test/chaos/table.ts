import { toTable } from '../support/docs-table.ts'
import type { Balance } from './balance.ts'

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

/** A line of the table: the result of a case, or why it was skipped. */
export interface Line {
  name: string
  seconds: number
  balance: Balance | null
  skipped: string | null
  failure: string | null
}

export const faultTable = (lines: readonly Line[]) => toTable(COLUMNS, lines.map(cells))

function cells({ name, seconds, balance, skipped, failure }: Line): string[] {
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
