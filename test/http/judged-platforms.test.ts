import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { findUnjudged, judgePlatform } from '../../src/platforms/establishment-store.ts'
import { shared } from '../support/harness.ts'
import { plansDatabase, uuidOf } from '../support/plans/database.ts'
import { idSql } from '../support/population.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const TODAY = '2026-11-21'

// Operators: 1 verified, 2 suspended, 3 not verified. Platforms 1 to 5, 7 and 10 belong to 1, 8 to 2, 9 to 3, 6 and 11 to 7,
// which is distrusted. On platform 10, operator 4 has 2,500 agents with the latest reports, 5 and 6 one each with earlier ones.
const FILL = `
  insert into operators (id, issuer, subject, email, name, agent_limit, active_agents, notification_prefs, digest_week, created_at, updated_at)
    select ${idSql('0')}, 'i', 's' || n, n || '@example.com', 'Operator', 10, 0, '{}', '2026-11-16', now(), now() from generate_series(1, 7) n;
  update operators set kyc_identity = id::text where id <> '${uuidOf('0', 3)}';
  update operators set status = 'suspended' where id = '${uuidOf('0', 2)}';
  insert into platforms (id, operator_id, slug, name, webhook_secret, created_at)
    select ${idSql('1')}, ${idSql('0', 'case n when 8 then 2 when 9 then 3 when 6 then 7 when 11 then 7 else 1 end')}, 'platform-' || n, 'P', 'x', now() from generate_series(1, 11) n;
  update platforms set judged_day = '2026-11-20' where slug in ('platform-1', 'platform-2');
  update platforms set judged_day = '${TODAY}' where slug = 'platform-4';
  update platforms set established_at = now() where slug = 'platform-5';
  update platforms set distrusted_at = now() where slug = 'platform-6';
  update platforms set status = 'retired' where slug = 'platform-7';
  update platforms set judged_day = '2999-01-01' where slug = 'platform-10';
  insert into agents (id, reg, operator_id, platform_id, platform_state, platform_since, name, description, class, specializations, registered_at)
    select ${idSql('a')}, 'REG-2026-0001-' || lpad(n::text, 4, '0') || '-0', ${idSql('0', 'greatest(4, n - 2496)')}, '${uuidOf('1', 10)}', 'claimed', '2026-01-01', 'Agent', '', 'A', '{}', '2026-01-01'
    from generate_series(1, 2502) n;
  insert into agent_stats (agent_id, last_active_at) select ${idSql('a')}, '${TODAY}'::date - n * interval '1 second' from generate_series(1, 2502) n;
  insert into agent_evidence (agent_id, day, source, events, completed)
    select ${idSql('a')}, '${TODAY}'::date - d, 'peer', 5, 5 from generate_series(1, 6000) n, generate_series(0, 9) d
`

const { db, rowsRead } = plansDatabase(shared(), FILL)

it('selects each platform that can become established once per day, those waiting longest first', async () => {
  const found = await findUnjudged(db, TODAY, 10)
  expect(found).toEqual([3, 1, 2].map((n) => uuidOf('1', n)))
  for (const id of found) expect(await judgePlatform(db, id, TODAY, NOW)).toBe(false)
  expect(await findUnjudged(db, TODAY, 10)).toEqual([])
  expect(await findUnjudged(db, '2026-11-22', 10)).toEqual([1, 2, 3, 4].map((n) => uuidOf('1', n)))
})

it('does not establish a platform that is distrusted after it was selected', async () => {
  const distrust = (at: string | null) =>
    db.execute(sql`update platforms set distrusted_at = ${at} where slug = 'platform-10'`)
  await distrust(TODAY)
  expect(await judgePlatform(db, uuidOf('1', 10), TODAY, NOW)).toBe(false)
  await distrust(null)
})

it('reads about a thousand agents of a platform, including some of each operator', async () => {
  const judge = () => judgePlatform(db, uuidOf('1', 10), TODAY, NOW)
  expect(await rowsRead('agent_evidence', judge)).toBeLessThan(1_100 * 10)
  expect(await judge()).toBe(true)
})
