import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { AuditAction } from '../../src/audit/actions.ts'
import { audit } from '../../src/audit/store.ts'
import { platforms } from '../../src/db/schema.ts'
import { toIso } from '../../src/lib/time.ts'
import { ofOne } from './command.ts'
import { transact } from './transaction.ts'

type Standing = Pick<typeof platforms.$inferSelect, 'slug' | 'established_at' | 'distrusted_at'>

/** The commands that limit the source of a platform's future reports; stored events do not change. */
export const platformCommands = {
  distrust: ofOne('<slug>', (url, slug) => change(url, slug, 'platform.distrusted')),
  'end-distrust': ofOne('<slug>', (url, slug) => change(url, slug, 'platform.distrust_ended')),
}

/** Starts or ends the distrust of a platform, and adds an entry to its operator's audit log if anything changes. */
async function change(databaseUrl: string, slug: string, action: AuditAction): Promise<string> {
  const now = new Date()
  const rows = await transact(databaseUrl, async (db) => {
    const { distrusted_at, established_at, operator_id } = platforms
    const named = eq(platforms.slug, slug)
    const [from, to] =
      action === 'platform.distrusted'
        ? [isNull(distrusted_at), now.toISOString()]
        : [isNotNull(distrusted_at), null]
    const changed = await db
      .update(platforms)
      .set({ distrusted_at: to })
      .where(and(named, from))
      .returning({ operator_id })
    const entries = changed.map((owner) => ({ ...owner, action, target: slug }))
    await audit(db, entries, now)
    return db.select({ slug: platforms.slug, established_at, distrusted_at }).from(platforms).where(named)
  })
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
