import type { Leaf } from '../../src/transparency/leaf.ts'
import type { Check, Context } from './checks.ts'
import { isVoid, readListed } from './entries.ts'
import { CLOCK_TOLERANCE_MS, type Listed } from './head.ts'
import { judgeNumbers, numbered } from './numbers.ts'
import { CheckFailed, pluralize, requireNone, requireVerified } from './problems.ts'
import { itemsOf, pagesOf } from './service.ts'

const PAGE = 100

type StateLeaf = Extract<Leaf, { kind: 'operator' | 'platform' }>

/**
 * Verifies the source of each event that `eventsCheck` has opened: `peer` and `independent` require that the log had both
 * operators verified before the event; `independent` also that it had the platform established, and not distrusted.
 * It judges the leaves that the registry lists; that none is omitted, only `monitorLog` and `wholeLogCheck` can tell.
 *
 * Source: docs/use/transparency.md, "What is checked", 8
 */
export const attestationsCheck: Check = {
  name: 'attested',
  async verify(context) {
    const opened = requireVerified(context.events, 'the events')
    const { operator_id: operator } = requireVerified(context.claims, 'the token').verification
    const attested = opened.filter(({ facts }) => facts.source === 'peer' || facts.source === 'independent')
    const lists = new Map<string, Promise<StateLeaf[]>>()
    const statesOf = (kind: StateLeaf['kind'], subject: string) => {
      const key = `${kind} ${subject}`
      const states = lists.get(key) ?? listStates(context, kind, subject)
      lists.set(key, states)
      return states
    }
    const problems: string[] = []
    for (const { seq, facts } of attested) {
      const platform = facts.platform === null ? [] : await statesOf('platform', facts.platform)
      const [agents, reporters] = [
        await statesOf('operator', String(operator)),
        platform[0] ? await statesOf('operator', platform[0].operator) : [],
      ]
      const at = Date.parse(facts.created_at)
      const reasons = [
        !wasEver(agents, 'verified', at) && 'the operator of the agent was not verified',
        !wasEver(reporters, 'verified', at) && `the operator of platform ${facts.platform} was not verified`,
        facts.source === 'independent' && wrongState(platform, at),
      ]
      for (const reason of reasons)
        if (reason) problems.push(`event ${seq} is ${facts.source}, but ${reason}`)
    }
    requireNone(problems)
    return `${attested.length} of ${pluralize(opened.length, 'event')} attested by platforms of others`
  },
}

/** The leaves of an operator or platform, oldest first, without void ones. */
async function listStates(
  { service, head }: Context,
  kind: StateLeaf['kind'],
  subject: string,
): Promise<StateLeaf[]> {
  const { tree, voided } = requireVerified(head, 'the checkpoint')
  const entries: { index: number; leaf: StateLeaf }[] = []
  const path = `/api/v1/${kind}s/${encodeURIComponent(subject)}/log-entries?limit=${PAGE}`
  for await (const page of pagesOf(service, path)) {
    if (!page) throw new CheckFailed(`the registry has no ${kind} ${subject}`)
    for (const listed of itemsOf<Listed>(page)) {
      const leaf = await readListed(tree, listed, { kind, [kind]: subject })
      if (leaf) entries.push({ index: listed.index, leaf: leaf as StateLeaf })
    }
  }
  requireNone(judgeNumbers(entries.flatMap(numbered), voided))
  return entries.filter(({ index }) => !isVoid(index, voided)).map(({ leaf }) => leaf)
}

/** Whether a state had been reached at a time, in milliseconds; a later one does not end it. */
function wasEver(states: readonly StateLeaf[], wanted: StateLeaf['state'], at: number): boolean {
  return states.some(
    ({ state, at: since }) => state === wanted && Date.parse(since) <= at + CLOCK_TOLERANCE_MS,
  )
}

/** Why a platform could not attest independently at a time; null if it could. */
function wrongState(platform: readonly StateLeaf[], at: number): string | null {
  if (!wasEver(platform, 'established', at)) return 'the platform was not established'
  const trust = platform.findLast(
    ({ state, at: since }) =>
      (state === 'distrusted' || state === 'trusted') && Date.parse(since) < at - CLOCK_TOLERANCE_MS,
  )
  return trust?.state === 'distrusted' ? 'the platform was distrusted' : null
}
