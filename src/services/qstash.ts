import { Client } from '@upstash/qstash'
import type { Env } from '../env.ts'

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
