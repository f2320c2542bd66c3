import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { type Database, inTransaction, withDatabase } from '../support/database.ts'
import {
  type Account,
  addEvent,
  compare,
  countersOf,
  type Difference,
  emptyAccount,
  nameOf,
} from './account.ts'
import {
  following,
  lockAgent,
  NO_AGENT,
  nextRange,
  readLog,
  readStored,
  type StoredAgent,
  writeRebuilt,
} from './store.ts'

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const PAGE_EVENTS = 10_000
const BEGIN_SNAPSHOT = sql`begin isolation level repeatable read read only`
// Read per snapshot, in about a second, as an open snapshot delays vacuum. A longer log is still read in one.
const SNAPSHOT = { agents: 500, events: 200_000 }

/** An agent with stored values that differ from its log. */
export interface Finding {
  agent_id: string
  reg: string | null
  differences: Difference[]
  /** Whether the stored values now match the log; false if the log itself has faults or the agent does not exist. */
  repaired: boolean
}

interface Rebuilt {
  agents: number
  events: number
  findings: Finding[]
}

/**
 * Sums the log of every agent again, with the functions of the service, and compares the stored rollup rows and
 * counters with the result. The service can run meanwhile: an agent is read from one snapshot, and repaired under the
 * lock that its events take, which is held only while the events since that snapshot are read.
 *
 * @param databaseUrl connection string of the database owner
 * @param repair whether to replace values that differ with those computed from the log
 */
export async function rebuildTrust(databaseUrl: string, { repair = false } = {}): Promise<Rebuilt> {
  const result: Rebuilt = { agents: 0, events: 0, findings: [] }
  await withDatabase(databaseUrl, async (db) => {
    for (let from: string | null = FIRST_ID; from !== null; ) {
      const { agents, next } = await inTransaction(db, () => readAgents(db.$client, from as string), {
        begin: BEGIN_SNAPSHOT,
      })
      from = next
      for (const [agent_id, { stored, account }] of agents) {
        result.agents += Number(stored.counters !== null)
        result.events += countersOf(account, 0).events
        const differences = compare(stored, account)
        if (differences.length === 0) continue
        const finding = { agent_id, reg: stored.reg, differences, repaired: false }
        result.findings.push(repair && stored.counters ? await repairAgent(db, finding, account) : finding)
      }
    }
  })
  return result
}

type Read = { stored: StoredAgent; account: Account }

async function readAgents(client: pg.Client, from: string) {
  const { isLast, ...range } = await nextRange(client, from, SNAPSHOT)
  const agents = new Map<string, Read>()
  for (const [id, stored] of await readStored(client, range))
    agents.set(id, { stored, account: emptyAccount() })
  for await (const page of readLog(client, range, PAGE_EVENTS)) {
    for (const event of page) {
      const known = agents.get(event.agent_id) ?? { stored: NO_AGENT, account: emptyAccount() }
      agents.set(event.agent_id, known)
      addEvent(known.account, event)
    }
  }
  return { agents, next: isLast ? null : following(range.to) }
}

/** Adds the events since the snapshot, compares again under the lock, and stores the values that still differ. */
async function repairAgent(db: Database, finding: Finding, account: Account): Promise<Finding> {
  const { agent_id } = finding
  const { $client: client } = db
  const range = { from: agent_id, to: agent_id }
  return inTransaction(db, async () => {
    await lockAgent(client, agent_id)
    for await (const page of readLog(client, range, PAGE_EVENTS, account.seq)) {
      for (const event of page) addEvent(account, event)
    }
    const stored = (await readStored(client, range)).get(agent_id) ?? NO_AGENT
    const differences = compare(stored, account)
    const changed = new Set(differences.map(({ row }) => row))
    const rebuilt = {
      outages: account.outages,
      counters: countersOf(account, stored.open_incidents),
      rows: [...account.rows.values()].filter((row) => changed.has(nameOf(row))),
      gone: stored.rows.filter((row) => !account.rows.has(nameOf(row))),
    }
    await writeRebuilt(client, agent_id, rebuilt, new Date())
    return { ...finding, differences, repaired: account.faults.length === 0 }
  })
}
