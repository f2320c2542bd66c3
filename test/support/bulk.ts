import pg from 'pg'

const LANES = 2
const SETTINGS = [
  'set session_replication_role = replica', // foreign keys hold by construction
  'set synchronous_commit = off',
  "set work_mem = '256MB'",
  "set maintenance_work_mem = '512MB'",
  'set max_parallel_maintenance_workers = 0', // the lanes are parallel already
]

type Work = (client: pg.Client) => Promise<unknown>

/**
 * Fills tables fast: drops their indexes and primary keys, and creates them again afterward. The result is that of
 * single inserts, with denser indexes.
 *
 * @param url connection string of the database owner, a superuser
 * @param tables all tables that the work inserts into
 * @param work its parts, some of which run in parallel, each on its own connection
 */
export async function bulk(url: string, tables: readonly string[], work: readonly Work[]): Promise<void> {
  const clients = await Promise.all(Array.from({ length: LANES }, () => open(url)))
  const [client] = clients
  if (!client) return
  try {
    const { rows: indexes } = await client.query<{ definition: string; drop: string; adopt: string | null }>(
      INDEXES,
      [tables],
    )
    for (const { drop } of indexes) await client.query(drop)
    await share(clients, work)
    await share(
      clients,
      indexes.map(({ definition }) => querying(definition)),
    )
    for (const { adopt } of indexes) if (adopt) await client.query(adopt)
    await share(
      clients,
      tables.map((table) => querying(`vacuum (analyze) ${table}`)),
    )
    await client.query('checkpoint')
  } finally {
    await Promise.all(clients.map((one) => one.end()))
  }
}

const querying =
  (text: string): Work =>
  (lane) =>
    lane.query(text)

// Primary keys with foreign keys are kept.
const INDEXES = `
  select pg_get_indexdef(i.indexrelid) as definition,
    case when c.oid is null then format('drop index %I', n.relname)
      else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
    case when c.oid is not null then
      format('alter table %s add constraint %I primary key using index %I', i.indrelid::regclass, c.conname, n.relname)
    end as adopt
  from pg_index i join pg_class n on n.oid = i.indexrelid left join pg_constraint c on c.conindid = i.indexrelid
    and c.contype in ('p', 'u')
  where i.indrelid = any ($1::regclass[]::oid[])
    and not exists (select from pg_constraint f where f.contype = 'f' and f.confrelid = i.indrelid and f.conindid = i.indexrelid)
  order by pg_relation_size(i.indrelid) desc`

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // the server stops before the client when the bench fails
  await client.connect()
  for (const setting of SETTINGS) await client.query(setting)
  return client
}

async function share(clients: readonly pg.Client[], work: readonly Work[]): Promise<void> {
  const left = [...work]
  await Promise.all(
    clients.map(async (client) => {
      for (let next = left.shift(); next; next = left.shift()) await next(client)
    }),
  )
}
