import { sql } from 'drizzle-orm'
import type { AuditAction } from '../../src/audit/actions.ts'
import { auditRows } from '../../src/audit/store.ts'
import type { platforms } from '../../src/db/schema.ts'
import { timestamptz } from '../../src/db/sql.ts'
import { toIso } from '../../src/lib/time.ts'
import { withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'

type Standing = Pick<typeof platforms.$inferSelect, 'slug' | 'established_at' | 'distrusted_at'>

/** The commands that limit the source of a platform's future reports; stored events do not change. */
export const platformCommands = {
  distrust: { usage: '<slug>', run: (url, args) => changeOnly(url, args, 'platform.distrusted') },
  'end-distrust': { usage: '<slug>', run: (url, args) => changeOnly(url, args, 'platform.distrust_ended') },
} satisfies Record<string, Command>

async function changeOnly(url: string, [slug, ...more]: readonly string[], action: AuditAction) {
  return slug && more.length === 0 ? change(url, slug, action) : null
}

/** Starts or ends the distrust of a platform, and adds an entry to its operator's audit log if anything changes. */
async function change(databaseUrl: string, slug: string, action: AuditAction): Promise<string> {
  const isDistrusted = action === 'platform.distrusted'
  const now = new Date()
  const { rows } = await withDatabase(databaseUrl, (db) =>
    db.execute<Standing>(sql`
      with found as materialized (
        select id, operator_id, slug, established_at, distrusted_at from platforms where slug = ${slug} for no key update
      ), changed as (
        update platforms p set distrusted_at = case when ${isDistrusted}::boolean then ${timestamptz(now)} end
        from found f where p.id = f.id and (f.distrusted_at is null) = ${isDistrusted}::boolean
        returning p.id, p.operator_id, p.slug, p.established_at, p.distrusted_at
      ), audited as (${auditRows(sql`select operator_id, slug as target from changed`, action, now)})
      select * from changed union all select * from found where id not in (select id from changed)`),
  )
  if (rows.length === 0) throw new Error(`there is no platform ${slug}`)
  return rows.map(describe).join('\n')
}

function describe({ slug, established_at, distrusted_at }: Standing): string {
  const established = established_at ? `established since ${toIso(established_at)}` : 'not established'
  const counts = distrusted_at
    ? `distrusted since ${toIso(distrusted_at)}: its reports since then count as peer at most`
    : `its reports count as ${established_at ? 'independent' : 'peer'} at most`
  return `${slug}: ${established}; ${counts}`
}
