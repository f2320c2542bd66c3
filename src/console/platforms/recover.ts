import type { Ctx } from '../../http/context.ts'
import { DAY_MS } from '../../lib/time.ts'
import { fieldsOf, type Problems, REQUIRED } from '../../pages/field.ts'
import { html, toMinute } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { RECOVER_DAYS_MAX, recoverSince } from '../../webhooks/manage/actions.ts'
import { recoverInput } from '../../webhooks/manage/schema.ts'
import { attempt } from '../attempt.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { PLATFORM, pathOf, platformOf, readPlatform, showBelow } from './frame.ts'

/** A time to the minute as people write it: `2026-11-21 08:00`, in UTC. */
const MINUTE = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})$/

/** The form that redelivers the events that an endpoint missed. */
export const platformRecoverPages = consolePages()
  .page(`${PLATFORM}/recover`, async (c) => {
    const platform = await readPlatform(c)
    const yesterday = new Date(c.get('now')().getTime() - DAY_MS).toISOString()
    const since = platform.failing_since ?? yesterday
    return recoverPage(c, platform, toMinute(since))
  })
  .action(`${PLATFORM}/recover`, async (c, { fields }) => {
    const platform = platformOf(c)
    const { since = '' } = fields
    const input = since.trim().replace(MINUTE, '$1T$2:00Z')
    const recovered = await attempt(['since'], () =>
      recoverSince(c, platform, parse(recoverInput, { since: input }).since),
    )
    if (!recovered.ok) return recoverPage(c, platform, since, recovered.problems, recovered.status)
    const { count, more } = recovered.value
    return done(c, pathOf(platform, '/deliveries'), more ? 'recovered-more' : 'recovered', count)
  })

function recoverPage(
  c: Ctx,
  platform: { slug: string; name?: string },
  since: string,
  problems?: Problems,
  status = 200,
) {
  const { note, text } = fieldsOf({ since }, problems)
  const hint = `When your endpoint began to fail, for example 2026-11-21 08:00 or 2026-11-21; at most ${RECOVER_DAYS_MAX} days ago`
  const fields = html`${note}${text('since', 'Since (UTC)', hint, REQUIRED)}<button>Recover deliveries</button>`
  return showBelow(c, platform, {
    title: 'Recover deliveries',
    status,
    trail: [[pathOf(platform, '/deliveries'), 'Deliveries']],
    main: html`<p>Each event whose delivery failed or was skipped since this time is redelivered once, oldest first, at most 10,000 events at a time. Events that were delivered later or are pending are not redelivered.</p>
${form(c, pathOf(platform, '/recover'), fields)}`,
  })
}
