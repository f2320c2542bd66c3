import type { Check, Context } from './checks.ts'
import { entriesOf, listEntries, NO_EVENTS } from './entries.ts'
import { isRecent } from './head.ts'
import { openLeaf } from './opening.ts'
import { CheckFailed, differenceOf, Inconclusive, requireSame, requireVerified } from './problems.ts'
import { requireEntitled } from './withheld.ts'

/** Opens the newest revision of the agent in the log: the token and the profile must state the same facts. */
export const profileCheck: Check = {
  name: 'profile',
  async verify(context) {
    const { service, reg, claims } = context
    for (let isRepeated = false; ; isRepeated = true) {
      const profile = (await service.fetchJson(`/api/v1/agents/${reg}`)) ?? {}
      const agent = claims?.verification
      const why = requireEntitled('the profile', profile, context)
      if (agent) requireEntitled('the token', agent, context)
      context.isWithheld = why !== null
      const { index, leaf, facts, isWhole } = await openNewest(context, profile)
      const stated = agent && { ...agent, status: agent.active ? 'active' : 'deactivated' }
      // The profile shows that a platform is retired, whatever the state of the membership was.
      const { platform_state: state } = profile
      const shown = { ...profile, ...(state === 'retired' && { platform_state: facts.platform_state }) }
      const difference =
        differenceOf(shown, facts, comparable(facts, profile)) ??
        (why || isWhole ? null : `its texts are hidden`)
      if (!difference) {
        requireSame('the token', { ...facts, ...stated }, facts, comparable(facts, agent))
        return `revision ${leaf.rev}, leaf ${index}${why ? `; texts withheld by the registry, because ${why}` : ''}`
      }
      if (isRepeated) throw new CheckFailed(`the profile: ${difference}`)
      // It may have changed between two responses.
      context.entries = await listEntries(context, NO_EVENTS)
    }
  },
}

/** The names of facts that a response shows, not of those of which it has substitutes. */
function comparable(facts: object, { withheld }: Record<string, unknown> = {}): string[] {
  return Object.keys(facts).filter((name) => !(Array.isArray(withheld) && withheld.includes(name)))
}

async function openNewest(context: Context, { registered_at }: Record<string, unknown>) {
  const newest = entriesOf(context, 'agent').at(-1)
  if (!newest && !isRecent(requireVerified(context.head, 'the checkpoint'), registered_at))
    throw new CheckFailed(`the log has no profile of ${context.reg}, registered on ${registered_at}`)
  if (!newest?.opening) throw new Inconclusive('the newest profile is not in the log yet: try again later')
  const { facts, content, reason } = await openLeaf(newest.leaf, newest.opening)
  if (reason)
    throw new CheckFailed(`revision ${newest.leaf.rev} of the agent does not match the log (${reason})`)
  const { texts: _, ...own } = facts
  return { ...newest, facts: { ...own, ...content }, isWhole: content !== null }
}
