import type { Context, Env, Hono } from 'hono'
import { z } from 'zod'

/** The state of each fault: off, on, or on for the next n times. */
export type Switches<Fault extends string> = Record<Fault, boolean | number>

/** The fault switches of a stand-in. */
export interface Faults<Fault extends string> {
  /** Whether the fault is to happen now; counts down. */
  take(fault: Fault): boolean
  set(changes: Partial<Switches<Fault>>): Switches<Fault>
  clear(): Switches<Fault>
  list(): Switches<Fault>
}

/** Creates switches for these faults, all off. */
export function createSwitches<Fault extends string>(faults: readonly Fault[]): Faults<Fault> {
  const off = Object.fromEntries(faults.map((fault) => [fault, false])) as Switches<Fault>
  let switches = { ...off }
  return {
    take(fault) {
      const left = switches[fault]
      if (typeof left !== 'number') return left
      switches[fault] = (left > 1 ? left - 1 : false) as Switches<Fault>[Fault]
      return left > 0
    },
    set(changes) {
      switches = { ...switches, ...changes }
      return { ...switches }
    },
    clear() {
      switches = { ...off }
      return { ...switches }
    },
    list: () => ({ ...switches }),
  }
}

/** Adds the control of faults to a stand-in: GET, POST, and DELETE of `/-/faults`. */
export function mountFaults<Fault extends string, E extends Env>(
  app: Hono<E>,
  names: readonly Fault[],
  faultsOf: (c: Context<E>) => Faults<Fault>,
): void {
  const input = z.partialRecord(z.enum(names), z.union([z.boolean(), z.int().min(0)]))
  app.get('/-/faults', (c) => c.json(faultsOf(c).list()))
  app.post('/-/faults', async (c) => {
    const changes = input.safeParse(await c.req.json().catch(() => null))
    if (!changes.success) return c.text(z.prettifyError(changes.error), 400)
    return c.json(faultsOf(c).set(changes.data as Partial<Switches<Fault>>)) // as its schema says
  })
  app.delete('/-/faults', (c) => c.json(faultsOf(c).clear()))
}
