import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { platforms } from '../../src/db/schema.ts'
import { seal, unseal } from '../../src/lib/crypto.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../../src/webhooks/relay/sign.ts'
import { withDatabase } from '../support/database.ts'

const PAGE = 500
const TRIES = 10 // a platform may rotate its secret between the read and the write

const SECRETS = ['webhook_secret', 'previous_webhook_secret'] as const
type Row = Pick<typeof platforms.$inferSelect, 'id' | 'slug' | (typeof SECRETS)[number]>

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
 * meanwhile: a row is written only if it has not changed since it was read. An interrupted run can be repeated.
 *
 * @param databaseUrl connection string of the database owner
 */
export async function rotateSecrets(databaseUrl: string, keys: Keys): Promise<Rotated> {
  const result: Rotated = { platforms: 0, previous: 0, unopened: [] }
  await withDatabase(databaseUrl, async (db) => {
    let page = await read(db).limit(PAGE)
    for (let last = page.at(-1); last; last = page.at(-1)) {
      for (const row of page) await rotateRow(db, row, keys, result)
      page = await read(db, gt(id, last.id)).limit(PAGE)
    }
  })
  return result
}

function read(db: NodePgDatabase, condition?: SQL) {
  const columns = { id, slug, webhook_secret, previous_webhook_secret }
  return db.select(columns).from(platforms).where(condition).orderBy(asc(id))
}

async function rotateRow(db: NodePgDatabase, found: Row, keys: Keys, result: Rotated) {
  result.platforms += 1
  let row: Row | undefined = found
  for (let tries = 0; row; tries++) {
    const resealed = await Promise.all(SECRETS.map((column) => reseal(row?.[column] ?? null, keys)))
    const moved = resealed.filter((one) => one !== null && 'moved' in one).length
    const [newest, older] = resealed.map((one) => (one && 'moved' in one ? one.moved : undefined))
    const sealed = {
      ...(newest && { webhook_secret: newest }),
      ...(older && { previous_webhook_secret: older }),
    }
    if (moved === 0 || (await write(db, row, sealed))) {
      result.previous += moved
      const unopened = SECRETS.filter((_, i) => resealed[i] && 'unopened' in resealed[i])
      result.unopened.push(...unopened.map((name) => `${found.slug}: ${name}`))
      return
    }
    if (tries === TRIES) throw new Error(`${row.slug}: its secrets keep changing; run this again`)
    row = (await read(db, eq(id, row.id)))[0]
  }
}

/** Encrypts a secret with the current key; null if nothing is to be done, `unopened` if neither key decrypts it. */
async function reseal(sealed: string | null, { current, previous }: Keys) {
  if (sealed === null || (await unseal(current, WEBHOOK_SECRET_PURPOSE, sealed)) !== null) return null
  const secret = await unseal(previous, WEBHOOK_SECRET_PURPOSE, sealed)
  return secret === null ? { unopened: true } : { moved: await seal(current, WEBHOOK_SECRET_PURPOSE, secret) }
}

/** Stores the encrypted secrets, unless the row has changed since it was read. */
async function write(db: NodePgDatabase, found: Row, sealed: Partial<Row>): Promise<boolean> {
  const unchanged = and(
    eq(id, found.id),
    eq(webhook_secret, found.webhook_secret),
    sql`${previous_webhook_secret} is not distinct from ${found.previous_webhook_secret}`,
  )
  const { rowCount } = await db.update(platforms).set(sealed).where(unchanged)
  return rowCount === 1
}

/** Describes the result, by platform and without secrets. */
export function describeRotation({ platforms, previous, unopened }: Rotated): string {
  return [
    ...unopened.map((where) => `${where} cannot be decrypted with either key`),
    `${platforms} platforms: ${previous} secrets were encrypted with the current key, ${unopened.length} cannot be decrypted`,
  ].join('\n')
}
