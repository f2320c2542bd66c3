import * as z from 'zod'
import { signedMessage } from '../api/internal.ts'
import { part } from '../http/part.ts'
import { hmacSha256, utf8 } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'
import { connectRedis } from '../services/redis.ts'

/** Where a check of the deployment is sent, straight and through QStash. */
export const DOCTOR_PATH = '/internal/qstash/doctor'

const KEPT_SECONDS = 300
const REDIS_MS = 2_000
const message = z.object({ id: z.uuid() })

/** Where in Redis it stands that the message of a check has come. */
export function doctorKey(id: string): string {
  return `doctor:${id}`
}

/**
 * Fingerprints of settings, by which a file can be compared with what a Worker runs with, without showing either.
 *
 * @param id of the check: another one gives other fingerprints
 * @returns by name; of empty ones there are none
 */
export async function fingerprints(settings: object, id: string): Promise<Record<string, string>> {
  const texts = Object.entries(settings).filter(([, value]) => typeof value === 'string' && value !== '')
  const entries = texts.map(async ([name, value]) => {
    const mac = await hmacSha256(utf8(id), `${name}\n${value}`)
    return [name, toHex(mac)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Tells whoever holds a signing key of QStash what this Worker runs with, in fingerprints, and that it was reached. */
export const doctorRoutes = part().post('/qstash/doctor', async (c) => {
  const { id } = await signedMessage(c, DOCTOR_PATH, message)
  await connectRedis(c.get('env'), REDIS_MS).set(doctorKey(id), Date.now(), { ex: KEPT_SECONDS })
  return c.json({ at: new Date().toISOString(), settings: await fingerprints(c.env, id) })
})
