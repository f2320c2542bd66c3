import { Client } from '@upstash/qstash'
import type { Env } from '../env.ts'
import { withTimeout } from '../lib/timeout.ts'

const BATCH_MAX = 100
const DEADLINE_MS = 10_000

type Message = Parameters<Client['batchJSON']>[0][number]

/** A QStash client that makes one attempt: failed publications are repeated by the sweep. */
export function connectQStash(env: Env): Client {
  return new Client({
    baseUrl: env.QSTASH_URL,
    token: env.QSTASH_TOKEN,
    retry: false,
    devMode: false, // otherwise an environment variable could replace URL, token, and keys with public ones
    enableTelemetry: false,
  })
}

/**
 * Publishes a message for each item, in batches.
 *
 * @param mark records that QStash has the messages of a batch; its signal limits the time
 * @throws Error if QStash or `mark` fails
 */
export async function publishAll<Item>(
  env: Env,
  items: readonly Item[],
  messageOf: (item: Item) => Message,
  mark: (batch: readonly Item[], signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = connectQStash(env)
  for (let sent = 0; sent < items.length; sent += BATCH_MAX) {
    const batch = items.slice(sent, sent + BATCH_MAX)
    await withTimeout(DEADLINE_MS, client.batchJSON(batch.map(messageOf)))
    await mark(batch, AbortSignal.timeout(DEADLINE_MS))
  }
}
