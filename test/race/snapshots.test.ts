import { afterAll, expect, it } from 'vitest'
import { atOnce } from '../support/at-once.ts'
import { freshSlug, ownStack } from '../support/harness.ts'
import { at, daysAfter, fillScored } from '../support/scored.ts'

const AGENTS = 600
const DAY = '2027-05-10'
const NEXT = daysAfter(DAY, 1)
const LONG_MS = 600_000

const own = await ownStack({ checked: false }) // its rollup rows have no events
afterAll(own.stop)

it(
  'writes each snapshot and sends its events once for concurrent runs of the job',
  async () => {
    const owner = await own.newOperator()
    const { slug } = await own.newPlatform(owner, {
      slug: freshSlug(),
      webhook_url: 'http://127.0.0.1:9/nobody',
    })
    const [platform] = await own.sql(
      // Disabled, so that deliveries stay in the outbox.
      `update platforms set webhook_status = 'disabled' where slug = $1 returning id`,
      [slug],
    )
    const fill = { agents: AGENTS, days: 20, last: DAY, prefix: 'REG-1900-', platformId: platform.id }
    await fillScored(own, owner, fill)
    const runs = (time: Date) => atOnce(() => own.cron(time))
    await runs(at(DAY, '12:30:00'))
    const count = async () => {
      const [row] = await own.sql(
        `select (select count(*)::integer from trust_scores) as rows,
         (select count(*)::integer from webhook_events where type = 'trust.updated') as updated,
         (select count(distinct data ->> 'reg')::integer from webhook_events where type = 'trust.updated') as agents,
         (select count(*)::integer from webhook_events where type = 'trust.threshold_crossed'
           and data ->> 'direction' = 'up') as up,
         (select count(*)::integer from webhook_events where type = 'trust.threshold_crossed'
           and data ->> 'direction' = 'down') as down,
         (select count(*)::integer from webhook_deliveries) as deliveries,
         (select count(*)::integer from notifications where type = 'trust_alert') as alerts,
         (select array_agg(distinct score_revision) from agent_stats) as revisions,
         (select array_agg(distinct trust_level) from agent_stats) as levels`,
      )
      return row
    }
    expect(await count()).toEqual({
      rows: AGENTS,
      updated: AGENTS,
      agents: AGENTS,
      up: 3 * AGENTS,
      down: 0,
      deliveries: 4 * AGENTS,
      alerts: 0,
      revisions: [1],
      levels: [3],
    })

    await own.sql(
      `insert into agent_evidence (agent_id, day, source, events, incidents_critical)
       select id, $1, 'independent', 3, 3 from agents`,
      [NEXT],
    )
    await own.sql(
      `update agent_stats set events = events + 3, last_active_at = $1::timestamptz, unscored_since = $1::timestamptz`,
      [at(NEXT, '10:00:00').toISOString()],
    )
    await runs(at(NEXT, '12:30:00'))
    expect(await count()).toEqual({
      rows: 2 * AGENTS,
      updated: 2 * AGENTS,
      agents: AGENTS,
      up: 3 * AGENTS,
      down: AGENTS,
      deliveries: 6 * AGENTS,
      alerts: AGENTS,
      revisions: [2],
      levels: [2],
    })
  },
  LONG_MS,
)
