import { middle } from '../../support/load/figures.ts'
import { type Bundle, startBare } from '../../support/workerd.ts'
import { processorMsOf } from './cpu.ts'

const STARTS = 25

/** The CPU time of the runtime until its first response, in ms: median; NaN if the system does not report it. */
export async function measureStarts(bundle: Bundle, settings: Record<string, string>): Promise<number> {
  const spent: number[] = []
  for (let n = 0; n < STARTS; n++) {
    const worker = await startBare(bundle, settings)
    spent.push(processorMsOf(worker.pid))
    await worker.kill()
  }
  return middle(spent)
}
