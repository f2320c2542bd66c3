import { once } from 'node:events'
import { testBundle } from '../support/workerd.ts'
import { type Balance, balance, shortfalls } from './balance.ts'
import { type Fault, require } from './fault.ts'
import { startLoad } from './load.ts'
import { type Plant, startPlant } from './plant.ts'
import { newSite } from './site.ts'

const WRITES_AROUND = 80 // successful writes before and after a fault

/** The result of a case, or why it was skipped. */
export interface Result {
  name: string
  seconds: number
  balance: Balance | null
  skipped: string | null
  failure: string | null
}

/**
 * Causes a fault in a service of its own, to which six clients write continuously, and checks at the end that nothing was
 * lost or stored twice.
 *
 * @param signal ends the case, which then has failed
 */
export async function runCase(fault: Fault, signal: AbortSignal): Promise<Result> {
  const began = performance.now()
  const result: Result = { name: fault.name, seconds: 0, balance: null, skipped: null, failure: null }
  result.skipped = fault.missing?.() ?? null
  if (result.skipped) return result
  let plant: Plant | undefined
  const work = async () => {
    plant = await startPlant(await testBundle(), fault.mount)
    return tryOut(fault, plant)
  }
  const aborted = once(signal, 'abort').then(() => {
    throw signal.reason
  })
  try {
    result.balance = await Promise.race([work(), aborted])
    result.failure = shortfalls(result.balance).slice(0, 10).join('\n') || null
  } catch (error) {
    result.failure = error instanceof Error ? error.message : String(error)
  } finally {
    await plant?.stop()
  }
  result.seconds = (performance.now() - began) / 1000
  return result
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
