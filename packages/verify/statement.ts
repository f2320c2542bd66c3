import { utcDay } from '../../src/lib/time.ts'
import type { Check } from './checks.ts'
import { CLOCK_TOLERANCE_MS } from './head.ts'
import { JWKS_PATH, type JwkSet } from './keys.ts'
import { CheckFailed, Inconclusive, requireSame, requireVerified } from './problems.ts'
import { readClaims } from './token.ts'

/** The types of the fields of a verification, except those that are compared with other values. */
const FIELDS = {
  active: 'boolean',
  name: 'string',
  class: 'string',
  ownership_status: 'string',
  domain: 'string',
  operator_id: 'string',
  operator_name: 'string',
  operator_name_verified: 'boolean',
  operator_kyc_status: 'string',
  operator_status: 'string',
  standing: 'string',
}

/** Verifies the token, which must state the score that was computed from the rows. */
export const tokenCheck = (issuer: string): Check => ({
  name: 'token',
  async verify(context) {
    const { service, reg, now } = context
    const { statement, score, today } = requireVerified(context.shown, 'the score')
    if (!statement) throw new Inconclusive('the registry does not sign tokens')
    const claims = await readClaims(
      String(statement.token),
      issuer,
      async () => (await service.fetchJson(JWKS_PATH)) as unknown as JwkSet,
      now.getTime() / 1000,
    )
    if (typeof claims === 'string') throw new CheckFailed(`the token is not valid (${claims})`)
    const { verification, iat, exp } = claims
    const seconds = (time: unknown) => Date.parse(String(time)) / 1000
    requireSame(
      'the token',
      { ...verification, iat: seconds(verification.checked_at), exp: seconds(statement.expires_at) },
      { reg, registered: true, trust_score_overall: score?.overall.toFixed(1) ?? null, iat, exp },
    )
    for (const [name, type] of Object.entries(FIELDS)) {
      const value = verification[name]
      if (typeof value !== type && !(name === 'domain' && value === null))
        throw new CheckFailed(`the token: ${name} must be a ${type}`)
    }
    // The score of a deactivated agent is that of its last day.
    if (verification.active !== false && today < utcDay(new Date(now.getTime() - CLOCK_TOLERANCE_MS)))
      throw new CheckFailed(`the agent is active, and its score is of ${today}`)
    context.claims = claims
    return `signed by ${issuer} at ${verification.checked_at}`
  },
})
