import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Inspection, inspectStatements, type Sent, wholeOf } from '../support/plans/inspect.ts'
import { startTestStack } from '../support/stack.ts'

// Runs EXPLAIN for every statement that the Worker sends on a walk through all routes and jobs, in the state in which it
// is sent. Sequential scans are disabled, so that a remaining one means that no index fits.

const AGENTS = 12_000
const ROWS_MOST = 2_500 // a page of a clean-up is 1,000, found and deleted
const DEPTH = 10_000
/** Statements with larger pages, or that read everything that waits. */
const ROWS_MOST_OF: Record<string, number> = {
  'agents/search-store.ts bestCards': AGENTS + 100,
  'agents/search-store.ts searchAgents': AGENTS + 100, // bounded-searches.test.ts limits how far they count
  'agents/search-store.ts searchCards': AGENTS + 100,
  'members/departure-store.ts findLeaving': 200 * 360, // agents of a page × rows of their window
  'notifications/digest-store.ts sendDigests': 2 * DEPTH, // a page: 200 operators of 50 agents
  'operators/store.ts sumsQuery': 500 * 90, // agents with new events × days of the window
  'ownership/recheck-store.ts findDueProofs': AGENTS + 100,
  // A page is 4,096 changes and as many days, each with its agent and rows, and a binary search for its last event.
  'tlog/store.ts appendFacts': 8 * 4_096,
  'tlog/store.ts appendEvents': 2 * 4_096,
  'trust/snapshot-store.ts findDue': 500 * 50, // agents of a page × their days
  'trust/snapshot-store.ts findRanges': AGENTS + 100,
}
let found: Inspection

const stack = await startTestStack({ checked: false })
afterAll(stack.stop)
beforeAll(async () => {
  found = await inspectStatements(stack, {
    population: { agents: AGENTS, eventsPerAgent: 2, days: 2, fullAgents: 50 },
    others: { platforms: 2_000, some: AGENTS, many: 2 * AGENTS },
    eachMost: 4,
    warms: false,
    readsWhole: false,
  })
}, 600_000)

const named = ({ by, requested, text }: Sent) => `${by} (${requested}): ${text.slice(0, 60)}`

it('calls every function that takes a database, and explains all their statements', () => {
  expect(found.functions.length).toBeGreaterThan(50)
  expect(found.unseen).toEqual([])
  expect(found.unexplained).toEqual([])
})

it('reads no large table completely', () => {
  const whole = found.statements.flatMap((one) => wholeOf(one).map((table) => `${table}: ${named(one)}`))
  expect(whole).toEqual([])
})

it('reads no more rows of a table than its page, depth, or day has', () => {
  const many = found.statements.flatMap((one) =>
    Object.entries(one.read).flatMap(([table, rows]) =>
      rows > (ROWS_MOST_OF[one.by] ?? ROWS_MOST) ? [`${rows} of ${table}: ${named(one)}`] : [],
    ),
  )
  expect(many).toEqual([])
})
