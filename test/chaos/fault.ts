import type { Load } from './load.ts'
import type { Plant } from './plant.ts'
import type { Site } from './site.ts'

/** A service under load. */
export interface Scene {
  plant: Plant
  site: Site
  load: Load
}

/** Something that goes wrong, and ends. */
export interface Fault {
  /** Its line in the table. */
  name: string
  /** Whether writes lose their responses by it. */
  unanswered: 'some' | 'none'
  /** Lets it happen, waits until it shows, and mends it; throws when it does not show. */
  strike(scene: Scene): Promise<void>
  /** Makes the folder of the database's data something else, before anything starts; returns what undoes that. */
  mount?: (dir: string) => () => void
  /** Why it cannot be made to happen on this machine. */
  missing?: () => string | null
}

/** Leaves the jobs something to do: webhooks that QStash has not taken. */
export async function pileUp({ plant, load }: Scene): Promise<void> {
  plant.links.qstash.set({ mode: 'cut' })
  await load.answered(60)
  plant.links.qstash.heal()
}

/** @throws Error when it is not so */
export function require(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence)
}
