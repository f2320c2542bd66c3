import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'

export interface NewPlatform {
  id: string
  operator_id: string
  slug: string
  name: string
  webhook_url: string | null
  webhook_secret: string
  event_types: readonly string[] | null
  created_at: string
}

/**
 * Stores a platform.
 *
 * @param platform its secret already encrypted
 * @returns false when the slug is taken
 */
export async function insertPlatform(db: Db, platform: NewPlatform): Promise<boolean> {
  const types = platform.event_types && JSON.stringify(platform.event_types)
  const result = await db.execute(sql`
    insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, event_types, created_at)
    values (${platform.id}, ${platform.operator_id}, ${platform.slug}, ${platform.name}, ${platform.webhook_url},
      ${platform.webhook_secret},
      (select array_agg(type) from jsonb_array_elements_text(${types}::jsonb) as type), ${platform.created_at})
    on conflict (slug) do nothing
    returning id`)
  return result.rows.length > 0
}
