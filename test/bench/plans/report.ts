import { type Inspection, type Sent, wholeOf } from '../../support/plans/inspect.ts'

interface PlansReport extends Inspection {
  at: string
  agents: number
  events: number
  /** Tables above LARGE_PAGES; the planner reads smaller ones completely where that costs less than an index. */
  large: string[]
}

export const LARGE_PAGES = 8_192 // 64 MiB

const BUFFERS_MANY = 200

/** Prints one table, the slowest statements first. */
export function print({
  agents,
  events,
  statements,
  unexplained,
  functions,
  unseen,
  large,
}: PlansReport): void {
  console.log(
    `\n${agents} agents, ${events} events; as the Worker's role, of each statement the dearest run\n`,
  )
  console.log(' buffers  planning ms  execution ms     rows  statement')
  for (const one of statements) console.log(row(one, large))
  console.log(
    `\n${statements.length} statements, of ${functions.length - unseen.length} of the ${functions.length} functions that take a database`,
  )
  for (const text of unexplained) console.log(`not explained: ${text}`)
  if (unseen.length > 0) console.log(`not seen: ${unseen.join(', ')}`)
}

function row(one: Sent, large: readonly string[]): string {
  const { buffers, planning_ms, execution_ms, rows, by, requested, indexes } = one
  const notes = [
    largeOf(one, large).length > 0 ? `READS WHOLE: ${largeOf(one, large).join(' ')}` : '',
    buffers > BUFFERS_MANY ? `over ${BUFFERS_MANY}` : '',
  ].filter(Boolean)
  const head = `${String(buffers).padStart(8)} ${planning_ms.toFixed(2).padStart(12)} ${execution_ms.toFixed(2).padStart(13)} ${String(rows).padStart(8)}  ${by} (${requested})`
  return `${head}${notes.length > 0 ? `  ${notes.join(', ')}` : ''}\n${' '.repeat(46)}${indexes.join(' ') || '-'}`
}

const largeOf = (one: Sent, large: readonly string[]) => wholeOf(one).filter((table) => large.includes(table))

/** Whether a statement may have escaped, or reads all of a large table. */
export function misses({ statements, unexplained, unseen, large }: PlansReport): boolean {
  const readsLarge = statements.some((one) => largeOf(one, large).length > 0)
  return unseen.length > 0 || unexplained.length > 0 || readsLarge
}
