import { fromFetch, serve } from '../serve.ts'
import { createApi } from './api.ts'
import { createClock } from './clock.ts'
import { mountControl } from './control.ts'
import { callDestination, failed } from './deliver.ts'
import { createFaults } from './faults.ts'
import type { Message } from './message.ts'
import { createQueue } from './queue.ts'
import { createRunner } from './runner.ts'
import { SIGNING_KEYS, signDelivery, TOKEN } from './sign.ts'
import { openStore } from './store.ts'

interface QStashOptions {
  /** Folder of the messages, which survive a restart. */
  dir: string
  say: (line: string) => void
  /** Factor of every wait, including retry delays; 1 is real time. */
  timeScale: number
  port?: number
}

export interface QStash {
  url: string
  token: string
  currentSigningKey: string
  nextSigningKey: string
  /** Aborts deliveries in progress as if the process had been killed: their messages stay pending. */
  stop(): Promise<void>
}

/** Starts the QStash stand-in on 127.0.0.1; see api.ts and control.ts for its endpoints. */
export async function startQStash({ dir, say, timeScale, port }: QStashOptions): Promise<QStash> {
  const stopping = new AbortController()
  const clock = createClock(timeScale)
  const faults = createFaults()
  const store = openStore(dir)
  const inProgress = new Set<Promise<void>>()

  async function attempt(message: Message): Promise<void> {
    const copies = faults.take('deliverTwice') ? 2 : 1
    const key = faults.take('signWithNextKey') ? SIGNING_KEYS.next : SIGNING_KEYS.current
    const signed = Buffer.from(
      faults.take('wrongBodyHash') ? `not ${message.id}` : message.bodyBase64,
      'base64',
    )
    const now: Record<string, string> = clock.isVirtual()
      ? { 'X-Test-Now': new Date(clock.now()).toISOString() }
      : {}
    const calls = Array.from({ length: copies }, async () =>
      callDestination(
        message,
        {
          'User-Agent': 'Upstash-QStash',
          'Upstash-Message-Id': message.id,
          'Upstash-Retried': String(message.retried),
          'Upstash-Caller-Ip': '127.0.0.1',
          'Upstash-Signature': await signDelivery(message.url, signed, key),
          ...now,
        },
        stopping.signal,
      ),
    )
    const [response = failed('not called')] = await Promise.all(calls)
    if (stopping.signal.aborted) return
    queue.settle(message, faults.take('dropResponse') ? failed('response dropped by a test') : response)
  }

  function tracked(message: Message): Promise<void> {
    const done = attempt(message).finally(() => inProgress.delete(done))
    inProgress.add(done)
    return done
  }

  const queue = createQueue(store, clock, () => runner.wake())
  const runner = createRunner(queue, clock, tracked, say)
  const app = createApi(queue, faults)
  mountControl(app, queue, clock, runner, faults)
  const server = await serve('qstash', fromFetch(app.fetch), port)
  if (queue.pending.size > 0) say(`${queue.pending.size} messages pending from the last run`)
  runner.wake()

  return {
    url: server.url,
    token: TOKEN,
    currentSigningKey: SIGNING_KEYS.current,
    nextSigningKey: SIGNING_KEYS.next,
    async stop() {
      runner.stop()
      stopping.abort()
      await server.stop()
      await Promise.allSettled(inProgress)
      store.close()
    },
  }
}
