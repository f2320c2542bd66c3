import type { Context } from './checks.ts'
import { entriesOf } from './entries.ts'
import { CheckFailed, Inconclusive, requireSame } from './problems.ts'

/** What a registry shows in place of each text that it may withhold. */
function substitutesOf({ reg, operator_id, platform_slug }: Record<string, unknown>) {
  return {
    name: reg,
    description: '',
    specializations: [],
    homepage_url: null,
    card_url: null,
    operator_name: `Operator ${String(operator_id).slice(-6)}`,
    operator_name_verified: false,
    platform_name: platform_slug,
  }
}

/**
 * Verifies that a registry withholds only texts, shows their substitutes, and is entitled to it: because the operator is
 * suspended, or because a leaf states it.
 *
 * @param what names the response
 * @returns why texts of the agent are withheld; null if they are not
 * @throws CheckFailed; Inconclusive if nothing states it yet
 */
export function requireEntitled(
  what: string,
  shown: Record<string, unknown>,
  context: Pick<Context, 'head' | 'entries'>,
): string | null {
  const fields = Array.isArray(shown.withheld) ? shown.withheld.map(String) : []
  const substitutes = substitutesOf(shown)
  if (fields.length === 0) return null
  const other = fields.find((field) => !Object.hasOwn(substitutes, field))
  if (other !== undefined) throw new CheckFailed(`${what}: ${other} cannot be withheld`)
  requireSame(what, shown, substitutes, fields)
  if (shown.operator_status === 'suspended') return 'its operator is suspended'
  if (fields.some((field) => field.startsWith('operator_')))
    throw new CheckFailed(`${what}: the name of an operator is withheld that is not suspended`)
  if (!fields.some((field) => field !== 'platform_name')) return null
  const act = entriesOf(context, 'withholding').at(-1)
  if (act?.leaf.state === 'withheld') return `leaf ${act.index} states it`
  throw new Inconclusive(`${what}: texts are withheld by the registry, but the log does not state it`)
}
