import type { Load } from './load.ts'
import type { Plant } from './plant.ts'
import type { Site } from './site.ts'

/** A service under load. */
export interface Scene {
  plant: Plant
  site: Site
  load: Load
}

/** A temporary fault. */
export interface Fault {
  /** Its name in the table. */
  name: string
  /** Whether it causes writes to fail. */
  failedWrites: 'some' | 'none'
  /** Causes the fault, waits for its effect, and repairs it; throws if it has no effect. */
  strike(scene: Scene): Promise<void>
  /** Mounts something at the data folder of the database before the start; returns a function that undoes it. */
  mount?: (dir: string) => () => void
  /** Why the fault cannot be caused on this machine; null if it can. */
  missing?: () => string | null
}

/** Creates work for the jobs: deliveries that QStash has not accepted. */
export async function pileUp({ plant, load }: Scene): Promise<void> {
  plant.links.qstash.set({ mode: 'cut' })
  await load.succeeded(60)
  plant.links.qstash.heal()
}

/** @throws Error if the condition is false */
export function require(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence)
}
