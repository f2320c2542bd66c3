import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { platforms } from '../src/db/schema.ts'
import { seal, unseal } from '../src/lib/crypto.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../src/webhooks/relay/sign.ts'
import { readCheckFlag } from './support/check-flag.ts'
import { withDatabase } from './support/database.ts'
import { messageOf } from './support/message.ts'
import { readStackFile } from './support/stack-file.ts'

const USAGE = 'usage: SECRETS_KEY=… SECRETS_KEY_PREVIOUS=… npm run secrets:rotate [-- --check]'
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

export interface Rotated {
  platforms: number
  /** Secrets that were encrypted with the previous key, and now are with the current one, unless this was a check. */
  previous: number
  /** Secrets that neither key decrypts, as `slug: column`. */
  unopened: string[]
}

/**
 * Encrypts every webhook secret with the current key that is encrypted with the previous one. The service can run
 * meanwhile: a row is written only if it has not changed since it was read. An interrupted run can be repeated.
 *
 * @param databaseUrl connection string of the database owner
 * @param check changes nothing
 */
export async function rotateSecrets(databaseUrl: string, keys: Keys, { check = false } = {}) {
  const result: Rotated = { platforms: 0, previous: 0, unopened: [] }
  await withDatabase(databaseUrl, async (db) => {
    let page = await read(db).limit(PAGE)
    for (let last = page.at(-1); last; last = page.at(-1)) {
      for (const row of page) await rotateRow(db, row, keys, check, result)
      page = await read(db, gt(id, last.id)).limit(PAGE)
    }
  })
  return result
}

function read(db: NodePgDatabase, condition?: SQL) {
  const columns = { id, slug, webhook_secret, previous_webhook_secret }
  return db.select(columns).from(platforms).where(condition).orderBy(asc(id))
}

async function rotateRow(db: NodePgDatabase, found: Row, keys: Keys, check: boolean, result: Rotated) {
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
    if (moved === 0 || check || (await write(db, row, sealed))) {
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
export function describeRotation({ platforms, previous, unopened }: Rotated, check: boolean): string {
  const did = check ? 'are encrypted with the previous key' : 'were encrypted with the current key'
  return [
    ...unopened.map((where) => `${where} cannot be decrypted with either key`),
    `${platforms} platforms: ${previous} secrets ${did}, ${unopened.length} cannot be decrypted`,
  ].join('\n')
}

/**
 * Reads the two keys from the environment.
 *
 * @throws Error that names the invalid variable, never its value
 */
export function readKeys(environment: Record<string, string | undefined>): Keys {
  const [current, previous] = ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'].map((name) => {
    const key = environment[name] ?? ''
    if (key === '') throw new Error(`${name}: required\n${USAGE}`)
    if (!/^[A-Za-z0-9+/]{43}=$/.test(key)) throw new Error(`${name}: must be 32 bytes in base64`)
    return key
  }) as [string, string]
  if (current === previous) throw new Error('SECRETS_KEY_PREVIOUS: must be different from SECRETS_KEY')
  return { current, previous }
}

if (import.meta.main) {
  try {
    const check = readCheckFlag(USAGE)
    const keys = readKeys(process.env)
    const databaseUrl = process.env.DATABASE_URL || readStackFile().database_url
    const rotated = await rotateSecrets(databaseUrl, keys, { check })
    console.log(describeRotation(rotated, check))
    if (rotated.unopened.length > 0 || (check && rotated.previous > 0)) process.exitCode = 1
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
