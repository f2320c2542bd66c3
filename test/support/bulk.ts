import pg from 'pg'
import { eachOf } from './load/clients.ts'

const LANES = 2
const SETTINGS = [
  '-c session_replication_role=replica', // foreign keys hold by construction
  '-c synchronous_commit=off',
  '-c work_mem=256MB',
  '-c maintenance_work_mem=512MB',
  '-c max_parallel_maintenance_workers=0', // the lanes are parallel already
]

type Work = (lanes: pg.Pool) => Promise<unknown>

/**
 * Fills tables fast: drops their indexes and primary keys, and creates them again afterward. The result is that of
 * single inserts, with denser indexes.
 *
 * @param url connection string of the database owner, a superuser
 * @param tables all tables that the work inserts into
 * @param work its parts, some of which run in parallel
 */
export async function bulk(url: string, tables: readonly string[], work: readonly Work[]): Promise<void> {
  const lanes = new pg.Pool({ connectionString: url, max: LANES, options: SETTINGS.join(' ') })
  lanes.on('error', () => undefined) // the server stops before the client when the bench fails
  try {
    const { rows: indexes } = await lanes.query<{ definition: string; drop: string; adopt: string | null }>(
      INDEXES,
      [tables],
    )
    for (const { drop } of indexes) await lanes.query(drop)
    await eachOf(work, LANES, (one) => one(lanes))
    await eachOf(indexes, LANES, ({ definition }) => lanes.query(definition))
    for (const { adopt } of indexes) if (adopt) await lanes.query(adopt)
    await eachOf(tables, LANES, (table) => lanes.query(`vacuum (analyze) ${table}`))
    await lanes.query('checkpoint')
  } finally {
    await lanes.end()
  }
}

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
