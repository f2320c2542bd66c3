import { asc, eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { platforms } from '../../src/db/schema.ts'
import { seal, unseal } from '../../src/lib/crypto.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../src/lib/webhook-signature.ts'
import { inTransaction, withDatabase } from '../support/database.ts'

const SECRETS = ['webhook_secret', 'previous_webhook_secret'] as const

const { id, slug, webhook_secret, previous_webhook_secret } = platforms

export interface Keys {
  /** The key to encrypt with; both are 32 bytes in base64. */
  current: string
  previous: string
}

interface Rotated {
  platforms: number
  /** Secrets that were encrypted with the previous key, and now are with the current one. */
  previous: number
  /** Secrets that neither key decrypts, as `slug: column`. */
  unopened: string[]
}

/**
 * Encrypts every webhook secret with the current key that is encrypted with the previous one. The service can run
 * meanwhile: each row is locked while its secrets are encrypted. An interrupted run can be repeated.
 *
 * @param databaseUrl connection string of the database owner
 */
export async function rotateSecrets(databaseUrl: string, keys: Keys): Promise<Rotated> {
  const result: Rotated = { platforms: 0, previous: 0, unopened: [] }
  await withDatabase(databaseUrl, async (db) => {
    const rows = await db.select({ id }).from(platforms).orderBy(asc(id))
    for (const row of rows) await inTransaction(db, () => rotateRow(db, row.id, keys, result))
  })
  return result
}

async function rotateRow(db: NodePgDatabase, of: string, keys: Keys, result: Rotated): Promise<void> {
  const columns = { slug, webhook_secret, previous_webhook_secret }
  const [row] = await db.select(columns).from(platforms).where(eq(id, of)).for('no key update')
  if (!row) return
  result.platforms += 1
  for (const name of SECRETS) {
    const resealed = await reseal(row[name], keys)
    if (resealed === 'unopened') result.unopened.push(`${row.slug}: ${name}`)
    else if (resealed !== null) {
      await db
        .update(platforms)
        .set({ [name]: resealed.moved })
        .where(eq(id, of))
      result.previous += 1
    }
  }
}

/** Encrypts a secret with the current key; null if nothing is to be done, `unopened` if neither key decrypts it. */
async function reseal(sealed: string | null, { current, previous }: Keys) {
  if (sealed === null || (await unseal(current, WEBHOOK_SECRET_PURPOSE, sealed)) !== null) return null
  const secret = await unseal(previous, WEBHOOK_SECRET_PURPOSE, sealed)
  return secret === null ? 'unopened' : { moved: await seal(current, WEBHOOK_SECRET_PURPOSE, secret) }
}

/** Describes the result, by platform and without secrets. */
export function describeRotation({ platforms, previous, unopened }: Rotated): string {
  return [
    ...unopened.map((where) => `${where} cannot be decrypted with either key`),
    `${platforms} platforms: ${previous} secrets were encrypted with the current key, ${unopened.length} cannot be decrypted`,
  ].join('\n')
}
