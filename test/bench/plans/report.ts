import type { Plan } from './explain.ts'

/** A statement with the function that sends it, as far as the calls tell. */
export interface Sent extends Plan {
  by: string
}

export interface PlansReport {
  at: string
  agents: number
  events: number
  statements: Sent[]
  /** Texts that were sent, and refused whenever they were to be explained. */
  unexplained: string[]
  functions: number
  /** Functions that take a database, and were not called. */
  unseen: string[]
}

const BUFFERS_MANY = 200
/** A row for each job, and one for each minute of a day. */
const FEW_ROWS = ['job_runs', 'usage_folds']

/** Prints one table, the dearest statements first. */
export function print({ agents, events, statements, unexplained, functions, unseen }: PlansReport): void {
  console.log(
    `\n${agents} agents, ${events} events; as the Worker's role, of each statement the dearest run\n`,
  )
  console.log(' buffers  planning ms  execution ms     rows  statement')
  for (const one of statements) console.log(row(one))
  console.log(
    `\n${statements.length} statements, of ${functions - unseen.length} of the ${functions} functions that take a database`,
  )
  for (const text of unexplained) console.log(`not explained: ${text}`)
  if (unseen.length > 0) console.log(`not seen: ${unseen.join(', ')}`)
}

function row(one: Sent): string {
  const { buffers, planning_ms, execution_ms, rows, by, asked, indexes } = one
  const notes = [
    wholeOf(one).length > 0 ? `READS WHOLE: ${wholeOf(one).join(' ')}` : '',
    buffers > BUFFERS_MANY ? `over ${BUFFERS_MANY}` : '',
  ].filter(Boolean)
  const head = `${String(buffers).padStart(8)} ${planning_ms.toFixed(2).padStart(12)} ${execution_ms.toFixed(2).padStart(13)} ${String(rows).padStart(8)}  ${by} (${asked})`
  return `${head}${notes.length > 0 ? `  ${notes.join(', ')}` : ''}\n${' '.repeat(46)}${indexes.join(' ') || '-'}`
}

/** The tables that a statement reads whole, though they have many rows. */
export function wholeOf({ whole }: Plan): string[] {
  return whole.filter((table) => !FEW_ROWS.includes(table))
}

/** Whether a statement may have escaped, or reads a whole table. */
export function misses({ statements, unexplained, unseen }: PlansReport): boolean {
  return unseen.length > 0 || unexplained.length > 0 || statements.some((one) => wholeOf(one).length > 0)
}
