import type { Hono } from 'hono'
import { z } from 'zod'
import { mountFaults } from '../switches.ts'
import type { Clock } from './clock.ts'
import { FAULTS, type Faults } from './faults.ts'
import type { Queue } from './queue.ts'
import type { Ran, Runner, RunOptions } from './runner.ts'

const SetClock = z.discriminatedUnion('mode', [
  z.strictObject({
    mode: z.literal('virtual'),
    now: z.union([z.number(), z.iso.datetime()]).optional(),
  }),
  z.strictObject({ mode: z.literal('real') }),
])
const Advance = z.strictObject({ ms: z.number().nonnegative() })
const Run = z.strictObject({
  limitMs: z.number().nonnegative().optional(),
  atLeast: z.number().int().nonnegative().optional(),
})

type ClockSetting = z.infer<typeof SetClock>

/** The controls of the stand-in for tests; also available over HTTP under `/-/`. */
export type Control = ReturnType<typeof createControl>

export function createControl(queue: Queue, clock: Clock, runner: Runner, faults: Faults) {
  const ensureVirtual = () => {
    if (!clock.isVirtual()) throw new Error('the clock is real: POST /-/clock {"mode":"virtual"} first')
  }
  return {
    clock: () => ({ mode: clock.isVirtual() ? 'virtual' : 'real', now: new Date(clock.now()).toISOString() }),

    /** Sets the clock. While it is virtual, messages are delivered only during `advance` and `runUntilIdle`. */
    setClock(setting: ClockSetting) {
      if (setting.mode === 'real') runner.setClock(null)
      else runner.setClock(new Date(setting.now ?? clock.now()).getTime())
      return this.clock()
    },

    async advance(ms: number): Promise<Ran> {
      ensureVirtual()
      return runner.advance(ms)
    },

    async runUntilIdle(options: RunOptions = {}): Promise<Ran> {
      ensureVirtual()
      return runner.runUntilIdle(options)
    },

    /** The pending messages, by due time. */
    messages() {
      const pending = [...queue.pending.values()].sort((a, b) => a.due - b.due)
      return pending.map((message) => ({
        messageId: message.id,
        url: message.url,
        body: Buffer.from(message.bodyBase64, 'base64').toString(),
        createdAt: message.createdAt,
        notBefore: message.due,
        flowControlKey: message.flow?.key,
        inFlight: runner.inFlight.has(message.id),
      }))
    },

    faults,
  }
}

/** Adds the control API to the server of the stand-in. */
export function mountControl(app: Hono, control: Control): void {
  app.get('/-/clock', (c) => c.json(control.clock()))
  app.post('/-/clock', async (c) => c.json(control.setClock(SetClock.parse(await c.req.json()))))
  app.post('/-/clock/advance', async (c) => {
    const { ms } = Advance.parse(await c.req.json())
    return c.json(await control.advance(ms))
  })
  app.post('/-/run-until-idle', async (c) => {
    const text = await c.req.text()
    return c.json(await control.runUntilIdle(Run.parse(text === '' ? {} : JSON.parse(text))))
  })
  app.get('/-/messages', (c) => c.json(control.messages()))
  mountFaults(app, FAULTS, () => control.faults)
}
