import type { Clock } from './clock.ts'
import type { Message } from './message.ts'
import type { Queue } from './queue.ts'

/** Limits of a run on the virtual clock. */
interface RunOptions {
  /** Maximum virtual time, ms. */
  limitMs?: number | undefined
  /** Until so many messages are delivered, waits up to 5 s of real time for a message if none is pending. */
  atLeast?: number | undefined
}

interface Ran {
  now: string
  delivered: number
}

const MAX_IN_FLIGHT = 100
const MAX_TIMER_MS = 2 ** 31 - 1
const DEFAULT_LIMIT_MS = 30 * 86_400_000
/** Ends a run even if each delivery publishes another message. */
const MAX_DELIVERIES = 10_000
const ARRIVAL_MS = 5000

export type Runner = ReturnType<typeof createRunner>

/**
 * Schedules attempts: with a timer on the real clock, one after the other on the virtual clock.
 *
 * @param attempt makes one attempt and records its outcome
 */
export function createRunner(
  queue: Queue,
  clock: Clock,
  attempt: (message: Message) => Promise<void>,
  say: (line: string) => void,
) {
  const inFlight = new Set<string>()
  const active = new Map<string, number>()
  const starts = new Map<string, number[]>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let arrived: (() => void) | null = null
  let turn: Promise<unknown> = Promise.resolve()

  function readyAt({ flow, due }: Message): number {
    if (flow === null) return due
    if (flow.parallelism && (active.get(flow.key) ?? 0) >= flow.parallelism) return Number.POSITIVE_INFINITY
    const blocking = flow.rate ? starts.get(flow.key)?.at(-flow.rate) : undefined
    return blocking === undefined ? due : Math.max(due, blocking + clock.scaled(flow.periodMs))
  }

  function soonest(): { message: Message; at: number } | null {
    let best: { message: Message; at: number } | null = null
    for (const message of queue.pending.values()) {
      if (inFlight.has(message.id)) continue
      const at = readyAt(message)
      if (at < (best?.at ?? Number.POSITIVE_INFINITY)) best = { message, at }
    }
    return best
  }

  async function run(message: Message): Promise<void> {
    const { flow } = message
    inFlight.add(message.id)
    if (flow) {
      active.set(flow.key, (active.get(flow.key) ?? 0) + 1)
      if (flow.rate) starts.set(flow.key, [...(starts.get(flow.key) ?? []), clock.now()].slice(-flow.rate))
    }
    try {
      await attempt(message)
      inFlight.delete(message.id)
    } catch (error) {
      say(`message ${message.id} is stuck until a restart: ${error}`)
    } finally {
      if (flow) active.set(flow.key, (active.get(flow.key) ?? 1) - 1)
      pump()
    }
  }

  function pump(): void {
    clearTimeout(timer)
    while (!stopped && !clock.isVirtual() && inFlight.size < MAX_IN_FLIGHT) {
      const next = soonest()
      if (next === null) return
      const wait = next.at - clock.now()
      if (wait > 0) {
        timer = setTimeout(pump, Math.min(Math.ceil(wait), MAX_TIMER_MS))
        return
      }
      void run(next.message)
    }
  }

  function arrival(): Promise<boolean> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), ARRIVAL_MS)
      arrived = () => {
        clearTimeout(late)
        resolve(true)
      }
    })
  }

  async function runTo(limit: number, atLeast: number): Promise<number> {
    let delivered = 0
    while (!stopped && clock.isVirtual() && delivered < MAX_DELIVERIES) {
      const next = soonest()
      if (next !== null && next.at <= limit) {
        clock.jumpTo(next.at)
        await run(next.message)
        delivered += 1
      } else if (next !== null || delivered >= atLeast || !(await arrival())) break
    }
    return delivered
  }

  /** Runs one after the other, so that two callers never move the clock at the same time. */
  function inTurn(run: () => Promise<number>): Promise<Ran> {
    const mine = turn.then(async () => {
      const delivered = await run()
      return { now: new Date(clock.now()).toISOString(), delivered }
    })
    turn = mine.catch(() => undefined)
    return mine
  }

  function wake(): void {
    arrived?.()
    arrived = null
    pump()
  }

  return {
    inFlight,

    /** Checks again which messages are due. */
    wake,

    /** Sets the virtual clock to `at`, or the real clock if null; pending messages keep their remaining wait. */
    setClock(at: number | null): void {
      const before = clock.now()
      clock.set(at)
      queue.shift(clock.now() - before)
      starts.clear()
      wake()
    },

    /** Moves the virtual clock by `ms`; messages that become due are delivered at their due time. */
    advance: (ms: number) =>
      inTurn(async () => {
        const target = clock.now() + ms
        const delivered = await runTo(target, 0)
        clock.jumpTo(target)
        return delivered
      }),

    /** Jumps from one due time to the next until no message is pending or the limit is reached. */
    runUntilIdle: ({ limitMs = DEFAULT_LIMIT_MS, atLeast = 0 }: RunOptions = {}) =>
      inTurn(() => runTo(clock.now() + limitMs, atLeast)),

    stop(): void {
      stopped = true
      clearTimeout(timer)
      arrived?.()
    },
  }
}
