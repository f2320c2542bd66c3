import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onInterrupt } from '../../local/interrupt.ts'
import { syncTable } from '../support/docs-table.ts'
import { type Bundle, bundleWorker } from '../support/workerd.ts'
import { type Balance, balance, shortfalls } from './balance.ts'
import { type Fault, require } from './fault.ts'
import { FAULTS } from './faults.ts'
import { startLoad } from './load.ts'
import { type Plant, startPlant } from './plant.ts'
import { newSite } from './site.ts'
import { faultTable, type Line } from './table.ts'

// Each case starts its own service and six clients that write continuously, and ends with a check that nothing was lost or
// stored twice. ONLY=redis,clock runs the cases whose names contain one of these words.

const CASE_MS = 120_000 // a quiet machine needs at most a third of it
const WRITES_AROUND = 80 // successful writes before and after a fault

delete process.env.DATABASE_URL // the tests must not kill an external server
const say = (line: string) => process.stderr.write(`${line}\n`)
const interrupted = onInterrupt()
const words = process.env.ONLY?.toLowerCase().split(',') ?? ['']
const chosen = FAULTS.filter(({ name }) => words.some((word) => name.toLowerCase().includes(word)))
if (chosen.length === 0) throw new Error(`ONLY: no fault has a name that contains one of ${process.env.ONLY}`)
const dir = await mkdtemp(join(tmpdir(), 'registry-chaos-bundle-'))
const lines: Line[] = []
try {
  const bundle = await bundleWorker(dir)
  for (const fault of chosen) {
    interrupted.throwIfAborted()
    const line = await runCase(fault, bundle)
    lines.push(line)
    say(
      `${line.failure ? 'FAILED ' : line.skipped ? 'skipped' : 'ok     '} ${line.seconds.toFixed(1)} s  ${fault.name}`,
    )
    if (line.failure) say(line.failure)
  }
} finally {
  await rm(dir, { recursive: true, force: true })
}
const table = faultTable(lines)
process.stdout.write(`${table}\n`)
const failed = lines.filter(({ failure }) => failure)
const isWhole = lines.filter(({ balance }) => balance).length === FAULTS.length
if (isWhole && failed.length === 0) syncTable('operate/performance.md', 'faults', table)
process.exit(failed.length === 0 ? 0 : 1)

async function runCase(fault: Fault, bundle: Bundle): Promise<Line> {
  const began = performance.now()
  const line: Line = { name: fault.name, seconds: 0, balance: null, skipped: null, failure: null }
  line.skipped = fault.missing?.() ?? null
  if (line.skipped) return line
  let plant: Plant | undefined
  const work = async () => {
    plant = await startPlant(bundle, fault.mount)
    return tryOut(fault, plant)
  }
  const late = new AbortController()
  const over = sleep(CASE_MS, null, { signal: AbortSignal.any([late.signal, interrupted]) }).then(() => {
    throw new Error(`not finished after ${CASE_MS / 1000} s`)
  })
  try {
    line.balance = await Promise.race([work(), over])
    line.failure = shortfalls(line.balance).slice(0, 10).join('\n') || null
  } catch (error) {
    line.failure = error instanceof Error ? error.message : String(error)
  } finally {
    late.abort()
    await plant?.stop()
  }
  line.seconds = (performance.now() - began) / 1000
  return line
}

async function tryOut(fault: Fault, plant: Plant): Promise<Balance> {
  const site = await newSite(plant)
  const load = startLoad(plant, site)
  try {
    await load.succeeded(WRITES_AROUND)
    await fault.strike({ plant, site, load })
    await load.succeeded(WRITES_AROUND)
  } finally {
    await load.stop()
  }
  const failedCount = load.writes.filter(({ response }) => !response).length
  require(failedCount > 0 === (fault.failedWrites === 'some'), `${failedCount} writes had no response`)
  return balance(plant, site, load)
}
