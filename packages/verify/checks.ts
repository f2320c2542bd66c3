import type { Standing } from '../../src/db/enums.ts'
import type { AgentKey } from './agent-keys.ts'
import type { AgentEntry } from './entries.ts'
import type { OpenedEvent } from './events.ts'
import type { Head, OpenHead } from './head.ts'
import type { Incident } from './incidents.ts'
import type { LogMemory } from './memory.ts'
import { CheckFailed, UnknownAgent } from './problems.ts'
import type { ShownScore } from './score.ts'
import { openService, type Service, type ServiceOptions } from './service.ts'
import type { Claims } from './token.ts'

/** The result of one check; `ok` is null if it could not be completed. */
export interface CheckResult {
  name: string
  ok: boolean | null
  /** What was verified, what is wrong (one problem per line), or why the check could not be completed. */
  detail: string
}

/** The results of all checks. */
export interface Verdict {
  /**
   * failed: at least one check failed. incomplete: none failed, but not all could be completed. unknown_agent: the
   * registry has no agent with this number.
   */
  verdict: 'verified' | 'failed' | 'incomplete' | 'unknown_agent'
  checks: CheckResult[]
  /** Information that is neither a success nor a failure. */
  notes: string[]
  /** Names of the witnesses that cosigned the head; if there are none, others may see another log. */
  witnesses: string[]
}

/** Options of all verifications. */
export interface VerifyOptions extends ServiceOptions {
  /**
   * Verifies the head of the log: `(note) => openCheckpoint(note, policy)`, with a policy from `parsePolicy`. If
   * omitted, the head must be signed by a key that `memory` has or, without it, by one that the registry names, and
   * cosigned by one of their witnesses if there are any.
   */
  openCheckpoint?: OpenHead | undefined
  /** The heads that earlier verifications have seen: from `logMemory`. The log must begin with them. */
  memory?: LogMemory | undefined
  /** The current time, if not that of the clock. */
  now?: Date
  /** Further checks: `eventsCheck`, `attestationsCheck`, `historyCheck`, `headsCheck(…)`, `wholeLogCheck()`. */
  also?: readonly Check[]
}

/** What checks read, and what they found. */
export interface Context {
  service: Service
  now: Date
  /** Empty if only the log is verified. */
  reg: string
  openCheckpoint: OpenHead | undefined
  memory: LogMemory | undefined
  notes: string[]
  shown: ShownScore | null
  claims: Claims | null
  head: Head | null
  /** Names of the witnesses that cosigned the head. */
  witnesses: string[]
  /** All entries of the agent except events, and with `eventsCheck` also events. */
  entries: AgentEntry[] | null
  /** The events that `eventsCheck` has opened and found correct. */
  events: readonly OpenedEvent[] | null
  /** All incidents, each as the log has it. */
  incidents: readonly Incident[] | null
  standing: Standing | null
  keys: readonly AgentKey[] | null
  /** Whether the profile withholds texts, and the registry is entitled to it. */
  isWithheld: boolean
}

/** A check; it resolves with what it verified. */
export interface Check {
  name: string
  /** @throws CheckFailed if something is wrong; any other error if the check cannot be completed */
  verify(context: Context): Promise<string>
}

/** The state before the first check. */
export function startChecks(baseUrl: string, reg: string, options: VerifyOptions): Context {
  const { now = new Date(), openCheckpoint, memory } = options
  const service = openService(baseUrl, options)
  const found = { shown: null, claims: null, head: null, entries: null, events: null, incidents: null }
  return {
    service,
    now,
    reg,
    openCheckpoint,
    memory,
    notes: [],
    witnesses: [],
    isWithheld: false,
    ...found,
    standing: null,
    keys: null,
  }
}

/**
 * Runs checks one after the other; a check that fails does not stop the others.
 *
 * @throws the reason of an aborted `signal`
 */
export async function runChecks(
  context: Context,
  checks: readonly Check[],
  { signal }: VerifyOptions,
): Promise<Verdict> {
  const results: CheckResult[] = []
  for (const { name, verify } of checks) {
    try {
      results.push({ name, ok: true, detail: await verify(context) })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof UnknownAgent)
        return { verdict: 'unknown_agent', checks: [], notes: [], witnesses: [] }
      const detail = error instanceof Error ? error.message : String(error)
      results.push({ name, ok: error instanceof CheckFailed ? false : null, detail })
    }
  }
  const isFailed = results.some(({ ok }) => ok === false)
  const isWhole = results.every(({ ok }) => ok)
  const verdict = isFailed ? 'failed' : isWhole ? 'verified' : 'incomplete'
  return { verdict, checks: results, notes: context.notes, witnesses: context.witnesses }
}
