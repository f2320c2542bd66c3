import { Hono } from 'hono'
import * as z from 'zod'
import { signedMessage } from '../api/internal.ts'
import type { App } from '../http/context.ts'
import { hmacSha256, utf8 } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'
import { connectRedis } from '../services/redis.ts'

/** The path that a check of the deployment calls, both directly and through QStash. */
export const DOCTOR_PATH = '/internal/qstash/doctor'

const KEPT_SECONDS = 300
const REDIS_MS = 2_000
const message = z.object({ id: z.uuid() })

/** The Redis key that records the arrival of a check's message. */
export function doctorKey(id: string): string {
  return `doctor:${id}`
}

/**
 * Fingerprints of settings: they allow comparing a settings file with those of a Worker without revealing either.
 *
 * @param id id of the check, the key of the HMAC: fingerprints of different checks differ
 * @returns fingerprints in hex by setting name; empty settings are omitted
 */
export async function fingerprints(settings: object, id: string): Promise<Record<string, string>> {
  const texts = Object.entries(settings).filter(([, value]) => typeof value === 'string' && value !== '')
  const entries = texts.map(async ([name, value]) => {
    const mac = await hmacSha256(utf8(id), `${name}\n${value}`)
    return [name, toHex(mac)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Returns the fingerprints of this Worker's settings, for requests signed with a QStash key, and records their arrival. */
export const doctorRoutes = new Hono<App>().post('/qstash/doctor', async (c) => {
  const { id } = await signedMessage(c, DOCTOR_PATH, message)
  // Without Redis, the settings can still be compared; the check of the arrival fails.
  await connectRedis(c.get('env'), REDIS_MS)
    .set(doctorKey(id), Date.now(), { ex: KEPT_SECONDS })
    .catch(() => undefined)
  return c.json({ settings: await fingerprints(c.env, id) })
})
