import { expect, test } from 'vitest'
import { syncTable } from '../support/docs-table.ts'
import {
  betrayal,
  type Days,
  FAILING,
  honest,
  perfect,
  RING,
  reported,
  SIXTY_DAYS,
} from '../vectors/attacks.ts'
import { rowsOf, type Stretch, scoreOf } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const HORIZON_DAYS = 90

const today = (tasks: number, completed = tasks): Days => ({ from: 0, to: 0, tasks, completed })

/** An agent that completes 49 of 50 tasks per day; an established platform attests it and the next two. */
const good = (from = 0) =>
  reported('independent', { from, tasks: 50, completed: 49, quality: 0.95, satisfied: 0.9 })
const ungraded = reported('independent', { tasks: 50, completed: 49, satisfied: 0.9 })
const mediocre = (from = 0) =>
  reported('independent', { from, tasks: 20, completed: 12, quality: 0.5, satisfied: 0.9 })

const scored = (...record: Stretch[]) => scoreOf(rowsOf(record, TODAY), TODAY)
const overall = (...record: Stretch[]) => scored(...record).overall.toFixed(1)
const moved = (before: Stretch[], after: Stretch[]) => `${overall(...before)} → ${overall(...after)}`

/** The first of 90 days for which the condition holds. */
function firstDay(holds: (days: number) => boolean): number {
  const days = Array.from({ length: HORIZON_DAYS }, (_, index) => index + 1)
  return days.find(holds) ?? Number.POSITIVE_INFINITY
}

/** 90 honest days, then betrayal, the last day of which is `ago` days ago. */
const betrayed = (days: number, ago: number) => [
  honest(days + ago),
  { ...betrayal(days), from: ago, to: ago + days - 1 },
]
const afterBetrayal = (ago: number, ...more: Stretch[]) => overall(...betrayed(10, ago), ...more)
/** No step of the operator's side ends an outage of the other side: the tests of the lifecycle show it. */
const withOutage = () => scoreOf(rowsOf([good()], TODAY), TODAY, 1).overall.toFixed(1)

const failedToday = [good(1), reported('independent', today(60, 0))]

interface Attack {
  attack: string
  cost: string
  now: string
}

const ATTACKS: Attack[] = [
  {
    attack: '14 days of 10 invented perfect tasks, self-reported',
    cost: 'nothing',
    now: overall(reported('self', perfect(10, 14))),
  },
  {
    attack: '90 days of 1,000 invented perfect tasks, self-reported',
    cost: 'nothing',
    now: overall(reported('self', perfect(1_000))),
  },
  {
    attack: 'self-reports that omit failures and incidents (12 of 20 tasks per day succeed)',
    cost: 'nothing',
    now: overall(reported('self', perfect(12))),
  },
  {
    attack:
      'an attested agent that completes 12 of 20 tasks adds 500 perfect self-reports per day for 90 days',
    cost: 'nothing',
    now: moved([mediocre()], [mediocre(), reported('self', perfect(500))]),
  },
  {
    attack:
      'an operator without identity check adds 500 perfect self-reports per day for 90 days to the unproven reports of its platform (4 of 20 tasks completed, quality 0.2)',
    cost: 'nothing',
    now: moved(
      [reported('unproven', FAILING)],
      [reported('unproven', FAILING), reported('self', perfect(500))],
    ),
  },
  {
    attack:
      'the agent moves to a platform of a second account, verified with its document: 14, 60 days of 30 perfect tasks',
    cost: 'an identity document',
    now: `${overall(reported('unproven', FAILING))} → ${[14, 60]
      .map((days) =>
        overall(reported('unproven', { ...FAILING, from: days }), reported('unproven', perfect(30, days))),
      )
      .join(', ')}`,
  },
  {
    attack: '60 attested failures today, then 1,000 self-reported successes',
    cost: 'nothing',
    now: moved(failedToday, [...failedToday, reported('self', today(1_000))]),
  },
  {
    attack: '60 attested failures today, then 1,000 real tasks for the honest platform',
    cost: '1,000 tasks',
    now: moved(failedToday, [...failedToday, reported('independent', today(1_000))]),
  },
  {
    attack: 'attested tasks without grades, then 1,000 self-graded tasks on one day',
    cost: 'nothing',
    now: moved([ungraded], [ungraded, reported('self', perfect(1_000, 1))]),
  },
  {
    attack: 'the platform of a second account reports 30 perfect tasks on each of 60 days',
    cost: 'an email address',
    now: overall(reported('self', SIXTY_DAYS)),
  },
  {
    attack: 'the platform of a friend reports the same',
    cost: '2 identity documents',
    now: overall(reported('peer', SIXTY_DAYS)),
  },
  {
    attack:
      'a ring of a platform and three operators: 12 days of 30 perfect tasks, then the platform is established, then 12 more days',
    cost: '4 identity documents, 24 days',
    now: overall(...RING),
  },
  {
    attack:
      'the stolen key of an established platform: 1,000,000 perfect tasks in one day for the 12-of-20 agent',
    cost: 'a key, a day',
    now: moved([mediocre()], [mediocre(1), reported('independent', perfect(1_000_000, 1))]),
  },
  {
    attack: 'a new agent number after a bad record, then 14 days of 10 self-reports',
    cost: 'a registration',
    now: moved([mediocre()], [reported('self', perfect(10, 14))]),
  },
  {
    attack:
      'betrayal at 20 tasks per day (9 completed, quality 0.1, one warning): days until the score is below 80, 70, 60',
    cost: '90 honest days',
    now: `${[80, 70, 60]
      .map((points) => firstDay((days) => scored(honest(days), betrayal(days)).overall < points))
      .join(', ')} days`,
  },
  {
    attack: 'ten days of betrayal, then no reports for 7, 13, 30 days',
    cost: 'waiting',
    now: `${afterBetrayal(0)} → ${[7, 13, 30].map((days) => afterBetrayal(days)).join(', ')}`,
  },
  {
    attack:
      'ten days of betrayal, then 30 self-reports per day for 7, 14 days; the same by the platform of a friend',
    cost: 'nothing; 2 identity documents',
    now: `${afterBetrayal(0)} → ${(['self', 'peer'] as const)
      .map((source) =>
        [7, 14].map((days) => afterBetrayal(days, reported(source, perfect(30, days)))).join(', '),
      )
      .join('; ')}`,
  },
  {
    attack: 'ten days of betrayal, then honest work for 3, 7, 14 days',
    cost: 'the work',
    now: `${afterBetrayal(0)} → ${[3, 7, 14]
      .map((days) => afterBetrayal(days, { ...honest(0), to: days - 1 }))
      .join(', ')}`,
  },
  {
    attack: 'fourteen days of betrayal, then one failed task per day for 14 days',
    cost: '14 tasks',
    now: moved(betrayed(14, 0), [
      ...betrayed(14, 14),
      reported('independent', { from: 0, to: 13, tasks: 1, completed: 0 }),
    ]),
  },
  {
    attack: 'the operator ends the outage that a platform reports, or announced a shutdown before',
    cost: 'nothing',
    now: `${withOutage()} → ${withOutage()} while it is open (${overall(good())} without it)`,
  },
  {
    attack: 'parked: no reports for 30, 60, 75 days after 90 days of 20 tasks',
    cost: '90 honest days',
    now: [30, 60, 75].map((days) => overall(honest(days))).join(', '),
  },
  {
    attack: 'safety 89 and 90 days after a critical incident',
    cost: 'waiting',
    now: [89, 90]
      .map((age) => scored(good(), reported('independent', { from: age, to: age, critical: 1 })).safety)
      .join(', '),
  },
]

test('docs/use/trust-score.md has the current figures of each attack', () => {
  const head = ['| attack | cost | algorithm 1.0 |', '|---|---|--:|']
  const lines = ATTACKS.map(({ attack, cost, now }) => `| ${attack} | ${cost} | ${now} |`)
  const { asIs, wanted } = syncTable('use/trust-score.md', 'attacks', [...head, ...lines].join('\n'))
  expect(asIs).toBe(wanted)
})
