import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, startBare } from '../../support/workerd.ts'
import { processorMsOf } from './cpu.ts'

const STARTS = 25

const EMPTY = `export default { fetch: () => new Response('ok') }`

/** From the start of the runtime to its first response: medians. */
export interface StartUp {
  name: string
  /** CPU time of the process; null if the system does not report it. */
  cpu_ms: number | null
  /** This CPU time relative to that of the floor: median of the turns. */
  of_floor: number | null
  ms: number
}

/** A bundle that only responds, for the same runtime as another one. */
export function emptyBundle(dir: string, { date, flags }: Bundle): Bundle {
  const file = 'empty.js'
  writeFileSync(join(dir, file), EMPTY)
  writeFileSync(join(dir, 'entry.js'), `export { default } from './${file}'`)
  return { out: dir, file, date, flags, gzippedBytes: 0 }
}

/** Starts the runtime with each bundle alternately, and measures the time until the first response. */
export async function measureStarts(
  bundles: Record<string, Bundle>,
  settings: Record<string, string>,
): Promise<StartUp[]> {
  const starts = Object.entries(bundles).map(([name, bundle]) => ({
    name,
    bundle,
    cpu: [] as number[],
    ms: [] as number[],
  }))
  for (let n = 0; n < STARTS; n++) {
    for (const { bundle, cpu, ms } of starts) {
      const began = performance.now()
      const worker = await startBare(bundle, settings)
      ms.push(performance.now() - began)
      cpu.push(processorMsOf(worker.pid))
      await worker.kill()
    }
  }
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)] ?? Number.NaN
  const known = (value: number) => (Number.isNaN(value) ? null : value)
  const floor = starts.find(({ name }) => name === 'floor')?.cpu ?? []
  return starts.map(({ name, cpu, ms }) => ({
    name,
    cpu_ms: known(middle(cpu)),
    of_floor: known(middle(cpu.map((spent, turn) => spent / (floor[turn] ?? Number.NaN)))),
    ms: middle(ms),
  }))
}
