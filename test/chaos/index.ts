import { onInterrupt } from '../../local/interrupt.ts'
import { syncTable } from '../support/docs-table.ts'
import { type Result, runCase } from './case.ts'
import { FAULTS } from './faults.ts'
import { faultTable } from './table.ts'

// ONLY=redis,clock runs the cases whose names contain one of these words.

const CASE_MS = 300_000 // a quiet machine needs at most a tenth of it

const say = (line: string) => process.stderr.write(`${line}\n`)
const interrupted = onInterrupt()
const words = process.env.ONLY?.toLowerCase().split(',') ?? ['']
const chosen = FAULTS.filter(({ name }) => words.some((word) => name.toLowerCase().includes(word)))
if (chosen.length === 0) throw new Error(`ONLY: no fault has a name that contains one of ${process.env.ONLY}`)
const results: Result[] = []
for (const fault of chosen) {
  interrupted.throwIfAborted()
  const result = await runCase(fault, AbortSignal.any([interrupted, AbortSignal.timeout(CASE_MS)]))
  const { failure, skipped, seconds, name } = result
  results.push(result)
  say(`${failure ? 'FAILED ' : skipped ? 'skipped' : 'ok     '} ${seconds.toFixed(1)} s  ${name}`)
  if (failure) say(failure)
}
const table = faultTable(results)
process.stdout.write(`${table}\n`)
const failed = results.filter(({ failure }) => failure)
const isWhole = results.filter(({ balance }) => balance).length === FAULTS.length
if (isWhole && failed.length === 0) syncTable('operate/performance.md', 'faults', table)
process.exit(failed.length === 0 ? 0 : 1)
