import { Client } from '@upstash/qstash'
import type { Env } from '../env.ts'

/** A QStash client that asks once: what fails is found by the sweep. */
export function connectQStash(env: Env): Client {
  return new Client({
    baseUrl: env.QSTASH_URL,
    token: env.QSTASH_TOKEN,
    retry: false,
    devMode: false, // else a stray variable would swap address, token and keys for the public ones
    enableTelemetry: false,
  })
}
