import { checkMatches, REG_PATTERN } from '../../src/lib/agent-number.ts'
import type { OpenedCheckpoint } from '../../src/transparency/checkpoint.ts'
import type { TrustScore } from '../../src/trust/score.ts'
import { JWKS_PATH, type JwkSet, requireOrigin } from './keys.ts'
import { CannotTell, DoesNotHold, requireSame, requireVerified } from './problems.ts'
import { type ShownScore, verifyScore } from './score.ts'
import { openService, type Service } from './service.ts'
import { type Claims, readClaims, type Verification } from './token.ts'

/** One thing that was looked at; `ok` is null where it could not be found out. */
export interface AgentCheck {
  name: 'token' | 'score' | 'checkpoint' | 'profile' | 'days'
  ok: boolean | null
  /** What holds, what does not, or why it could not be found out. */
  detail: string
}

/** What the verification of an agent has come to. */
export interface AgentVerdict {
  /** failed: something does not hold. incomplete: nothing failed, but not everything could be found out. */
  verdict: 'verified' | 'failed' | 'incomplete'
  reg: string
  checks: AgentCheck[]
  /** What the registry has signed of the agent; null without a valid token. */
  agent: Verification | null
  /** The score as it was computed here; null when there is too little activity, or the check did not hold. */
  score: TrustScore | null
}

/** How an agent is verified. */
export interface VerifyAgentOptions {
  /** The origin that tokens must name, when it is not that of `baseUrl`. */
  issuer?: string
  /**
   * Verifies the head of the log: `(note) => openCheckpoint(note, policy)`, with a policy from `parsePolicy`. When left
   * out, it must be signed by a key that the registry names.
   */
  openCheckpoint?: (note: string) => Promise<OpenedCheckpoint>
  /** Instead of the global one: a service binding, a test. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** The time of the verifier; the clock's when left out. */
  now?: Date
  /** Ends the verification at once, which then rejects. */
  signal?: AbortSignal
  /** How long it waits in all for a registry that is busy (429, 503), in seconds; 120 when left out. */
  maxWaitSeconds?: number
}

/**
 * Verifies what a registry says of an agent: its signed token; its score, computed again from the published rows; the
 * signed head of the log, which must hold that of the token; its profile and its days, each in the log and as shown.
 * Nothing that comes from the registry makes it throw.
 *
 * @param baseUrl the registry's origin, from your own settings
 * @returns one verdict with its reasons. `verified` says that the registry is consistent with what it has signed and
 * logged of the last days, not that the agent is good
 * @throws TypeError when `baseUrl`, `issuer` or `reg` is not what it must be: a mistake of the caller
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
      checks.push({ name, ok: error instanceof DoesNotHold ? false : null, detail })
      return null
    }
  }

  const shown = await check('score', () => verifyScore(service, reg, now))
  const claims = await check('token', () => verifyStatement(service, shown, { reg, issuer, now }))
  // A file of its own: what a page loads at first stays small.
  const log = () => import('./log.ts')
  const head = await check('checkpoint', async () =>
    (await log()).verifyHead(service, openCheckpoint, claims?.log ?? null),
  )
  const agent = claims?.verification ?? null
  await check('profile', async () => (await log()).verifyProfile(service, reg, head, agent))
  await check('days', async () => (await log()).verifyDays(service, reg, head, shown?.inputs ?? null, now))
  const isFailed = checks.some(({ ok }) => ok === false)
  const isWhole = checks.every(({ ok }) => ok)
  return {
    verdict: isFailed ? 'failed' : isWhole ? 'verified' : 'incomplete',
    reg,
    checks,
    agent,
    score: shown?.inputs.score ?? null,
  }
}

/** The token, which must state the score that was computed here. */
async function verifyStatement(
  service: Service,
  shown: ShownScore | null,
  { reg, issuer, now }: { reg: string; issuer: string; now: Date },
): Promise<[Claims, string]> {
  const { statement, inputs } = requireVerified(shown, 'the score')
  if (!statement) throw new CannotTell('the registry does not sign tokens')
  const claims = await readClaims(String(statement.token), {
    issuer,
    keysFor: async () => (await service.ask(JWKS_PATH)) as unknown as JwkSet,
    seconds: now.getTime() / 1000,
  })
  if (typeof claims === 'string') throw new DoesNotHold(`the token is not valid (${claims})`)
  const { verification, exp } = claims
  requireSame(
    'the token',
    { ...verification, exp: Date.parse(String(statement.expires_at)) / 1000 },
    { reg, trust_score_overall: inputs.score?.overall.toFixed(1) ?? null, exp },
  )
  return [claims, `signed by ${issuer} at ${verification.checked_at}`]
}
