import { type Inspection, type Sent, wholeOf } from '../../support/plans/inspect.ts'

export interface PlansReport extends Inspection {
  at: string
  agents: number
  events: number
}

const BUFFERS_MANY = 200

/** Prints one table, the dearest statements first. */
export function print({ agents, events, statements, unexplained, functions, unseen }: PlansReport): void {
  console.log(
    `\n${agents} agents, ${events} events; as the Worker's role, of each statement the dearest run\n`,
  )
  console.log(' buffers  planning ms  execution ms     rows  statement')
  for (const one of statements) console.log(row(one))
  console.log(
    `\n${statements.length} statements, of ${functions.length - unseen.length} of the ${functions.length} functions that take a database`,
  )
  for (const text of unexplained) console.log(`not explained: ${text}`)
  if (unseen.length > 0) console.log(`not seen: ${unseen.join(', ')}`)
}

function row(one: Sent): string {
  const { buffers, planning_ms, execution_ms, rows, by, requested, indexes } = one
  const notes = [
    wholeOf(one).length > 0 ? `READS WHOLE: ${wholeOf(one).join(' ')}` : '',
    buffers > BUFFERS_MANY ? `over ${BUFFERS_MANY}` : '',
  ].filter(Boolean)
  const head = `${String(buffers).padStart(8)} ${planning_ms.toFixed(2).padStart(12)} ${execution_ms.toFixed(2).padStart(13)} ${String(rows).padStart(8)}  ${by} (${requested})`
  return `${head}${notes.length > 0 ? `  ${notes.join(', ')}` : ''}\n${' '.repeat(46)}${indexes.join(' ') || '-'}`
}

/** Whether a statement may have escaped, or reads a whole table. */
export function misses({ statements, unexplained, unseen }: PlansReport): boolean {
  return unseen.length > 0 || unexplained.length > 0 || statements.some((one) => wholeOf(one).length > 0)
}
