import type pg from 'pg'
import { withClient } from './migrate.ts'

const IN_USE = '55006'
const TRIES = 5

/**
 * Restores a database as Neon does: the earlier state takes its name, and the current state is kept as `lost`.
 *
 * @param databaseUrl the owner of the database
 */
export function timeTravel(databaseUrl: string) {
  const name = new URL(databaseUrl).pathname.slice(1)
  const at = (database: string) => Object.assign(new URL(databaseUrl), { pathname: `/${database}` }).href

  /** Runs statements from another database, after terminating all other connections. */
  async function alone(...statements: string[]): Promise<void> {
    await withClient(at('postgres'), async (client) => {
      for (const statement of statements) await aloneWith(client, statement)
    })
  }

  /** The service may connect again at any time, such as to send a mail. */
  async function aloneWith(client: pg.Client, statement: string, tries = TRIES): Promise<void> {
    try {
      await client.query(
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()`,
      )
      await client.query(statement)
    } catch (error) {
      if (Object(error).code !== IN_USE || tries === 1) throw error
      await aloneWith(client, statement, tries - 1)
    }
  }

  return {
    lost: at('lost'),
    keepState: () => alone('drop database if exists kept', `create database kept template ${name}`),
    setBack: () =>
      alone(
        'drop database if exists lost',
        `alter database ${name} rename to lost`,
        `alter database kept rename to ${name}`,
      ),
  }
}
