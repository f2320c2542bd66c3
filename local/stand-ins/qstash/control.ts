import type { Hono } from 'hono'
import { z } from 'zod'
import { mountFaults } from '../switches.ts'
import type { Clock } from './clock.ts'
import { FAULTS, type Faults } from './faults.ts'
import type { Queue } from './queue.ts'
import type { Runner } from './runner.ts'

const SetClock = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('virtual'), now: z.iso.datetime().optional() }),
  z.strictObject({ mode: z.literal('real') }),
])
const Advance = z.strictObject({ ms: z.number().nonnegative() })
const Run = z.strictObject({
  limitMs: z.number().nonnegative().optional(),
  atLeast: z.number().int().nonnegative().optional(),
})

/**
 * Adds the control API for tests to the server of the stand-in. While the clock is virtual, messages are delivered only
 * during `advance` and `run-until-idle`.
 */
export function mountControl(app: Hono, queue: Queue, clock: Clock, runner: Runner, faults: Faults): void {
  const shown = () => ({
    mode: clock.isVirtual() ? 'virtual' : 'real',
    now: new Date(clock.now()).toISOString(),
  })
  app.get('/-/clock', (c) => c.json(shown()))
  app.post('/-/clock', async (c) => {
    const setting = SetClock.parse(await c.req.json())
    runner.setClock(setting.mode === 'real' ? null : new Date(setting.now ?? clock.now()).getTime())
    return c.json(shown())
  })
  app.post('/-/clock/advance', async (c) => {
    const { ms } = Advance.parse(await c.req.json())
    return c.json(await runner.advance(ms))
  })
  app.post('/-/run-until-idle', async (c) => c.json(await runner.runUntilIdle(Run.parse(await c.req.json()))))
  /** The pending messages, by due time. */
  app.get('/-/messages', (c) => {
    const pending = [...queue.pending.values()].sort((a, b) => a.due - b.due)
    const messages = pending.map((message) => ({
      messageId: message.id,
      url: message.url,
      body: Buffer.from(message.bodyBase64, 'base64').toString(),
      createdAt: message.createdAt,
      notBefore: message.due,
      flowControlKey: message.flow?.key,
      inFlight: runner.inFlight.has(message.id),
    }))
    return c.json(messages)
  })
  mountFaults(app, FAULTS, () => faults)
}
