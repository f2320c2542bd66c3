import type { Redis, RedisOptions } from 'ioredis'
import type { Engine, Outcome } from './rest.ts'

const START_MS = 10_000

// Requests must fail immediately while Redis is down: the Worker waits at most 150 ms for it.
export const FAIL_FAST: RedisOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt) => Math.min(attempt * 20, 1000),
}

// Without a listener ioredis prints every failed attempt.
export function quiet(client: Redis): Redis {
  return client.on('error', () => {})
}

/**
 * Waits until a connection is ready.
 *
 * @param failure the error message if it is not ready in time
 * @param ended rejects immediately when this settles, such as the exit of the server
 */
export async function ready(client: Redis, failure: string, ended?: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((done, fail) => {
    const giveUp = () => fail(new Error(failure))
    client.once('ready', done)
    void ended?.then(giveUp)
    timer = setTimeout(giveUp, START_MS)
  }).finally(() => clearTimeout(timer))
}

/** Runs commands on one shared connection. */
export function throughConnection(client: Redis): Engine {
  return async (commands, atomic) => {
    const pipeline = client.pipeline()
    if (atomic) pipeline.callBuffer('multi')
    for (const [name = '', ...args] of commands) pipeline.callBuffer(name, ...args)
    if (atomic) pipeline.callBuffer('exec')
    const results = (await pipeline.exec()) ?? []
    if (!atomic) return results.map(([error, reply]) => toOutcome(error ?? reply))
    const [error, replies] = results.at(-1) ?? []
    if (error || !Array.isArray(replies)) throw error ?? new Error('EXEC gave no replies')
    return replies.map(toOutcome)
  }
}

function toOutcome(reply: unknown): Outcome {
  if (!(reply instanceof Error)) return { reply }
  if (reply.name !== 'ReplyError') throw reply
  return { error: reply.message }
}
