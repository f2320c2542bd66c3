import { checkMatches, REG_PATTERN } from '../../src/lib/agent-number.ts'
import { utcDay } from '../../src/lib/time.ts'
import type { OpenedCheckpoint } from '../../src/transparency/checkpoint.ts'
import type { TrustScore } from '../../src/trust/score.ts'
import { JWKS_PATH, type JwkSet, requireOrigin } from './keys.ts'
import { verifyDays, verifyHead, verifyProfile } from './log.ts'
import { CheckFailed, Inconclusive, requireSame, requireVerified } from './problems.ts'
import { CLOCK_TOLERANCE_MS, type ShownScore, verifyScore } from './score.ts'
import { openService, type Service } from './service.ts'
import { type Claims, readClaims, type Verification } from './token.ts'

/** The result of one check; `ok` is null if it could not be completed. */
export interface AgentCheck {
  name: 'token' | 'score' | 'checkpoint' | 'profile' | 'days'
  ok: boolean | null
  /** What was verified, what is wrong, or why the check could not be completed. */
  detail: string
}

/** The result of verifying an agent. */
export interface AgentVerdict {
  /** failed: at least one check failed. incomplete: none failed, but not all could be completed. */
  verdict: 'verified' | 'failed' | 'incomplete'
  reg: string
  checks: AgentCheck[]
  /** What the registry has signed about the agent; null without a valid token. */
  agent: Verification | null
  /** The score as computed here; null if there is too little activity or the check did not succeed. */
  score: TrustScore | null
}

/** Options of `verifyAgent`. */
export interface VerifyAgentOptions {
  /** The origin that tokens must name, if it differs from `baseUrl`. */
  issuer?: string
  /**
   * Verifies the head of the log: `(note) => openCheckpoint(note, policy)`, with a policy from `parsePolicy`. If
   * omitted, the head must be signed by a key that the registry names.
   */
  openCheckpoint?: (note: string) => Promise<OpenedCheckpoint>
  /** Replaces the global `fetch`, such as by a service binding. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** The current time, if not that of the clock. */
  now?: Date
  /** Aborts the verification, which then rejects. */
  signal?: AbortSignal
  /** The longest total wait for a registry that is busy (429, 503), in seconds; default 120. */
  maxWaitSeconds?: number
}

/**
 * Verifies what a registry states about an agent: its signed token; its score, recomputed from the published rows; the
 * signed head of the log, which must extend the head in the token; its profile and its days, each in the log and as
 * shown. No response of the registry makes it throw.
 *
 * @param baseUrl the registry's origin, from your own settings
 * @returns one verdict with its reasons. `verified` means that the registry is consistent with what it has signed and
 * logged about the last days, not that the agent is good
 * @throws TypeError when `baseUrl`, `issuer` or `reg` is invalid
 *
 * Source: transparency log, The verifier; trust score algorithm 1.0.
 */
export async function verifyAgent(
  baseUrl: string,
  reg: string,
  options: VerifyAgentOptions = {},
): Promise<AgentVerdict> {
  const { issuer = baseUrl, openCheckpoint, now = new Date(), signal } = options
  for (const origin of [baseUrl, issuer]) requireOrigin(origin)
  if (!REG_PATTERN.test(reg) || !checkMatches(reg)) throw new TypeError('reg: must be an agent number')
  const service = openService(baseUrl, options)
  const checks: AgentCheck[] = []
  const check = async <T>(name: AgentCheck['name'], work: () => Promise<[T, string]>): Promise<T | null> => {
    try {
      const [found, detail] = await work()
      checks.push({ name, ok: true, detail })
      return found
    } catch (error) {
      signal?.throwIfAborted()
      const detail = error instanceof Error ? error.message : String(error)
      checks.push({ name, ok: error instanceof CheckFailed ? false : null, detail })
      return null
    }
  }

  const shown = await check('score', () => verifyScore(service, reg, now))
  const claims = await check('token', () => verifyStatement(service, shown, reg, issuer, now))
  const head = await check('checkpoint', () => verifyHead(service, openCheckpoint, claims?.log ?? null))
  const agent = claims?.verification ?? null
  await check('profile', () => verifyProfile(service, reg, head, agent))
  await check('days', () => verifyDays(service, reg, head, shown, now))
  const isFailed = checks.some(({ ok }) => ok === false)
  const isWhole = checks.every(({ ok }) => ok)
  return {
    verdict: isFailed ? 'failed' : isWhole ? 'verified' : 'incomplete',
    reg,
    checks,
    agent,
    score: shown?.score ?? null,
  }
}

/** Verifies the token, which must state the score that was computed here. */
async function verifyStatement(
  service: Service,
  shown: ShownScore | null,
  reg: string,
  issuer: string,
  now: Date,
): Promise<[Claims, string]> {
  const { statement, score, today } = requireVerified(shown, 'the score')
  if (!statement) throw new Inconclusive('the registry does not sign tokens')
  const claims = await readClaims(
    String(statement.token),
    issuer,
    async () => (await service.fetchJson(JWKS_PATH)) as unknown as JwkSet,
    now.getTime() / 1000,
  )
  if (typeof claims === 'string') throw new CheckFailed(`the token is not valid (${claims})`)
  const { verification, exp } = claims
  requireSame(
    'the token',
    { ...verification, exp: Date.parse(String(statement.expires_at)) / 1000 },
    { reg, trust_score_overall: score?.overall.toFixed(1) ?? null, exp },
  )
  // The score of a deactivated agent is that of its last day.
  if (verification.active !== false && today < utcDay(new Date(now.getTime() - CLOCK_TOLERANCE_MS)))
    throw new CheckFailed(`the agent is active, and its score is of ${today}`)
  return [claims, `signed by ${issuer} at ${verification.checked_at}`]
}
