import { recordStanding, standingOf } from '../../src/trust/standing.ts'
import { windowOf } from '../../src/trust/window.ts'
import type { Check } from './checks.ts'
import { CheckFailed, requireVerified } from './problems.ts'

const TOKEN_STEP_MS = 60_000 // `checked_at` of a token is the start of the minute in which it was signed

/**
 * Computes the standing again from the rows, the incidents, and the facts of the token, which must state the same. Only
 * whether the operator is suspended is taken from the token.
 */
export const standingCheck: Check = {
  name: 'standing',
  async verify(context) {
    const { rows, today, score } = requireVerified(context.shown, 'the score')
    const { verification } = requireVerified(context.claims, 'the token')
    const incidents = requireVerified(context.incidents, 'the incidents')
    const from = Date.parse(verification.checked_at)
    const until = from + TOKEN_STEP_MS
    const critical = incidents
      .filter(({ severity }) => severity === 'critical')
      .map((incident) => ({
        opened: Date.parse(String(incident.created_at)),
        resolved: incident.resolved_at ? Date.parse(String(incident.resolved_at)) : Number.POSITIVE_INFINITY,
      }))
    const record = recordStanding(windowOf(rows, today), score)
    const possible = [
      critical.some(({ opened, resolved }) => opened <= from && resolved > until),
      critical.some(({ opened, resolved }) => opened <= until && resolved >= from),
    ].map((open_critical) =>
      standingOf({
        operator_status: verification.operator_status === 'suspended' ? 'suspended' : 'active',
        status: verification.active ? 'active' : 'deactivated',
        open_critical,
        record,
      }),
    )
    const standing = possible.find((one) => one === verification.standing)
    if (!standing)
      throw new CheckFailed(`the token: standing is ${verification.standing}, must be ${possible[0]}`)
    context.standing = standing
    return standing
  },
}
