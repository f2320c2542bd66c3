import type { Standing } from '../../src/db/enums.ts'
import { isAgentNumber } from '../../src/lib/agent-number.ts'
import type { TrustScore } from '../../src/trust/score.ts'
import { type AgentKey, agentKeysCheck } from './agent-keys.ts'
import { runChecks, startChecks, type Verdict, type VerifyOptions } from './checks.ts'
import { countersCheck } from './counters.ts'
import { daysCheck } from './days.ts'
import { entriesCheck } from './entries.ts'
import { headCheck } from './head.ts'
import { incidentsCheck } from './incidents.ts'
import { requireOrigin } from './keys.ts'
import { profileCheck } from './profile.ts'
import { type Inputs, pastScoreCheck, scoreCheck } from './score.ts'
import { standingCheck } from './standing.ts'
import { tokenCheck } from './statement.ts'
import type { Verification } from './token.ts'

/** The result of verifying an agent. */
export interface AgentVerdict extends Verdict {
  reg: string
  /** What the registry has signed about the agent; null without a valid token. */
  agent: Verification | null
  /** The score as computed here; null if there is too little activity or the check did not succeed. */
  score: TrustScore | null
  /** The standing as computed here; null if the check did not succeed. */
  standing: Standing | null
  /** All keys that the agent has or had, newest first; null if the check did not succeed. */
  keys: readonly AgentKey[] | null
}

/** Options of `verifyAgent`. */
export interface VerifyAgentOptions extends VerifyOptions {
  /** The origin that tokens must name, if it differs from `baseUrl`. */
  issuer?: string | undefined
}

/** The result of verifying a score; `inputs` are null if the check did not succeed. */
export interface ScoreVerdict extends Verdict {
  reg: string
  inputs: Inputs | null
}

/**
 * Verifies what a registry states about an agent: its score, recomputed from the published rows; its signed token; the
 * signed head of the log, which must extend the head in the token; its profile, its incidents, its days, and its
 * counters, each in the log and as shown; its standing; and its keys. No response of the registry makes it throw.
 *
 * @param baseUrl the registry's origin, from your own settings
 * @returns one verdict with its reasons. `verified` means that the registry is consistent with what it has signed and
 * logged, not that the agent is good
 * @throws TypeError when `baseUrl`, `issuer` or `reg` is invalid
 *
 * Source: docs/use/transparency.md, "What is checked"; trust score algorithm 1.0.
 */
export async function verifyAgent(
  baseUrl: string,
  reg: string,
  options: VerifyAgentOptions = {},
): Promise<AgentVerdict> {
  const { memory, also = [] } = options
  const [origin, issuer] = [requireOrigin(baseUrl), requireOrigin(options.issuer ?? baseUrl)]
  requireReg(reg)
  const context = startChecks(origin, reg, options)
  const checks = [
    scoreCheck,
    tokenCheck(issuer),
    headCheck,
    ...(memory ? [memory.check] : []),
    entriesCheck,
    profileCheck,
    incidentsCheck,
    daysCheck,
    countersCheck,
    standingCheck,
    agentKeysCheck,
    ...also,
  ]
  const verdict = await runChecks(context, checks, options)
  const { claims, shown, standing, keys } = context
  const agent = claims?.verification ?? null
  return { ...verdict, reg, agent, score: shown?.score ?? null, standing, keys }
}

/**
 * Verifies the log of a registry: its newest head, and that it extends the heads in `memory`; with `wholeLogCheck()`, all
 * of its leaves.
 *
 * @throws TypeError when `baseUrl` is invalid
 */
export async function verifyLog(baseUrl: string, options: VerifyOptions = {}): Promise<Verdict> {
  const origin = requireOrigin(baseUrl)
  const { memory, also = [] } = options
  const checks = [headCheck, ...(memory ? [memory.check] : []), ...also]
  return runChecks(startChecks(origin, '', options), checks, options)
}

/**
 * Verifies only the score of an agent, without its token and the log.
 *
 * @param date a UTC day `YYYY-MM-DD`; today, if omitted
 * @throws TypeError when `baseUrl` or `reg` is invalid
 *
 * Source: trust score algorithm 1.0.
 */
export async function verifyScore(
  baseUrl: string,
  reg: string,
  { date, ...options }: VerifyOptions & { date?: string | undefined } = {},
): Promise<ScoreVerdict> {
  const origin = requireOrigin(baseUrl)
  requireReg(reg)
  const context = startChecks(origin, reg, options)
  const check = date === undefined ? scoreCheck : pastScoreCheck(date)
  return { ...(await runChecks(context, [check], options)), reg, inputs: context.shown }
}

function requireReg(reg: string): void {
  if (!isAgentNumber(reg)) throw new TypeError('reg: must be an agent number')
}
