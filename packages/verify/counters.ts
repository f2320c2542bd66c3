import { utcDay } from '../../src/lib/time.ts'
import { isCount } from '../../src/transparency/bytes.ts'
import type { Check } from './checks.ts'
import { daysOf, type LoggedDay } from './days.ts'
import { fetchIncidents, type Incident } from './incidents.ts'
import { requireNone, requireVerified } from './problems.ts'
import { fetchInputs, type Inputs } from './score.ts'
import { MOST_LISTED } from './service.ts'

const NAMES = ['tasks_completed', 'tasks_failed', 'incident_count'] as const
const NOTHING = { day: '', totals: { tasks_completed: 0, tasks_failed: 0, incident_count: 0 } }

/**
 * Compares the counters of the profile and, with a key, of the full verification with the totals of the last logged day
 * and what came after it, and the number of incidents in these totals with those that are listed.
 */
export const countersCheck: Check = {
  name: 'counters',
  async verify(context) {
    const { service, reg, now } = context
    const shown = requireVerified(context.shown, 'the score')
    const incidents = requireVerified(context.incidents, 'the incidents')
    const problems: string[] = []
    const over = daysOf(context).days.filter(({ day }) => day < utcDay(now))
    const isWhole = incidents.length < MOST_LISTED
    if (isWhole) requireNone(judgeIncidents(over, incidents))
    const last = over.at(-1) ?? NOTHING
    const before = countersOf(last, shown, incidents)
    const bodies = {
      profile: await service.fetchJson(`/api/v1/agents/${reg}`),
      ...(service.hasKey && {
        'full verification': await service.fetchJson(`/api/v1/verify/${reg}/full`, true),
      }),
    }
    // Counters only grow, so those that are shown lie between those before and after.
    const after = countersOf(last, await fetchInputs(context), (await fetchIncidents(context)).listed)
    for (const [where, body] of Object.entries(bodies))
      for (const name of NAMES.filter((one) => isWhole || one !== 'incident_count')) {
        const [count, least, most] = [body?.[name], before[name], after[name]]
        if (!isCount(count) || count < least || count > most)
          problems.push(`the ${where}: ${name} is ${count}, the log and what came after it give ${least}`)
      }
    requireNone(problems)
    return last.day ? `the totals of ${last.day}, and what came after it` : 'no day is in the log yet'
  },
}

/** Compares the number of incidents at the end of each day with the incidents that are listed. */
export function judgeIncidents(days: readonly LoggedDay[], incidents: readonly Incident[]): string[] {
  return days.flatMap(({ day, totals }) => {
    const listed = incidents.length - sinceDay(incidents, day)
    return listed === totals.incident_count
      ? []
      : [`day ${day}: its totals count ${totals.incident_count} incidents, but ${listed} are listed`]
  })
}

function countersOf(
  { day, totals }: Pick<LoggedDay, 'day'> & { totals: Omit<LoggedDay['totals'], 'events'> },
  { rows }: Inputs,
  incidents: readonly Incident[],
) {
  const later = rows.filter((row) => row.day > day)
  const sum = (name: 'completed' | 'failed') => later.reduce((all, row) => all + row[name], 0)
  return {
    tasks_completed: totals.tasks_completed + sum('completed'),
    tasks_failed: totals.tasks_failed + sum('failed'),
    incident_count: totals.incident_count + sinceDay(incidents, day),
  }
}

/** How many incidents were opened after a day. */
function sinceDay(incidents: readonly Incident[], day: string): number {
  return incidents.filter(({ created_at }) => String(created_at).slice(0, 10) > day).length
}
