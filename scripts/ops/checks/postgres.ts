import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { stateOfMigrations } from '../../migrate/migrations.ts'
import { pendingSources } from '../../migrate/sources.ts'
import { withClient } from '../../support/database.ts'
import { messageOf } from '../../support/message.ts'
import { checksOf, notTried, type Outcome, ok, type Site, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000
const WORKER_ROLE = 'registry_worker'
/** Tables that only the owner of the database can change, and only with disabled triggers. */
const IMMUTABLE = ['activity_events', 'audit_log', 'tlog_tiles', 'tlog_bundles']
const LIMITS = { statement_timeout: '5s', lock_timeout: '3s', timezone: 'UTC' } as const
const OWNER_ADVICE = 'check OWNER_DATABASE_URL at Neon (Connect, without pooling)'
const MIGRATE = 'run npm run db:migrate as the owner'
const NO_OWNER = 'OWNER_DATABASE_URL is not set: only the owner can see what was applied'

/** Checks of the database, as its owner and as the Worker. */
export const postgresChecks = checksOf('Postgres', [
  {
    name: 'migrations',
    todo: OWNER_ADVICE,
    run: (site) =>
      asOwner(site, async (client) => {
        const { pending, unknown } = await stateOfMigrations(client)
        if (unknown > 0) {
          return wrong(
            `migrations in the database that are of another version: ${unknown}`,
            'check out the version that was deployed last',
          )
        }
        return pending.length > 0 ? wrong(`pending: ${pending.join(', ')}`, MIGRATE) : ok('all are applied')
      }),
  },
  {
    name: 'functions',
    todo: OWNER_ADVICE,
    run: (site) =>
      asOwner(site, async (client) => {
        const pending = await pendingSources(client)
        return pending.length > 0
          ? wrong(`differ from drizzle/: ${pending.join(', ')}`, MIGRATE)
          : ok('all match drizzle/')
      }),
  },
  {
    name: 'role',
    async run({ env }) {
      const found = await askAsWorker<{ role: string; is_super: boolean; owns: number }>(
        env,
        `select current_user as role, rolsuper as is_super,
           (select count(*)::integer from pg_class where relowner = oid_of.oid and relnamespace = 'public'::regnamespace) as owns
         from pg_roles oid_of where rolname = current_user`,
      )
      if (found.is_super || found.owns > 0 || found.role !== WORKER_ROLE) {
        return wrong(
          `DATABASE_URL signs in as ${found.role}, which ${found.owns > 0 ? 'owns the tables' : 'is not the role of the Worker'}`,
          `set DATABASE_URL with ${WORKER_ROLE} and its password (docs/operate/deploy.md, step 1)`,
        )
      }
      return ok(`signs in over HTTP as ${WORKER_ROLE}`)
    },
  },
  {
    name: 'append-only',
    async run({ env }) {
      const { open } = await askAsWorker<{ open: string[] }>(
        env,
        `select coalesce(array_agg(lower(change) || ' ' || name), '{}') as open
         from unnest(array['${IMMUTABLE.join("','")}']) name, unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) change
         where has_table_privilege(name, change)`,
      )
      return open.length > 0
        ? wrong(
            `the Worker has these privileges: ${open.join(', ')}`,
            `revoke them from ${WORKER_ROLE}, and use no other role`,
          )
        : ok(`the Worker cannot change ${IMMUTABLE.join(', ')}`)
    },
  },
  {
    name: 'limits',
    async run({ env }) {
      const found = await askAsWorker<Record<string, string>>(
        env,
        `select ${Object.keys(LIMITS)
          .map((name) => `current_setting('${name}') as ${name}`)
          .join(', ')}`,
      )
      const off = Object.entries(LIMITS).filter(([name, value]) => found[name] !== value)
      return off.length > 0
        ? wrong(
            `over HTTP, ${off.map(([name, value]) => `${name} is ${found[name]}, not ${value}`).join(', ')}`,
            `as the owner: ${off.map(([name, value]) => `ALTER ROLE ${WORKER_ROLE} SET ${name} = '${value}'`).join('; ')}`,
          )
        : ok('the timeouts of the role apply over HTTP')
    },
  },
])

async function asOwner({ ownerUrl }: Site, look: (client: pg.Client) => Promise<Outcome>): Promise<Outcome> {
  return ownerUrl ? withClient(ownerUrl, look) : notTried(NO_OWNER)
}

/** One row, queried over HTTP as the Worker does. */
async function askAsWorker<Row extends Record<string, unknown>>(env: Env, text: string): Promise<Row> {
  const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
  const { rows } = await db.execute<Row>(sql.raw(text)).catch((error: unknown) => {
    throw new Error(`a query over HTTP failed: ${messageOf(error)}`, { cause: error })
  })
  const [row] = rows
  if (!row) throw new Error('the response of Postgres has no row')
  return row
}
