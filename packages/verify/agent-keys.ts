import { publicJwk, thumbprint } from '../../src/transparency/jwk.ts'
import type { Check } from './checks.ts'
import { type AgentEntry, entriesOf } from './entries.ts'
import { CLOCK_TOLERANCE_MS, isRecent, type Seen } from './head.ts'
import { judgeNumbers, numbered } from './numbers.ts'
import { differenceOf, pluralize, requireNone, requireVerified } from './problems.ts'
import { fetchPages, itemsOf, MOST_LISTED } from './service.ts'

/** A key of an agent as the service lists it. */
export interface AgentKey {
  kid: string
  reg: string
  alg: 'ed25519'
  x: string
  status: 'active' | 'expired' | 'revoked'
  added_at: string
  expires_at: string | null
  revoked_at: string | null
  reason: 'rotated' | 'compromised' | 'unused' | null
  log: { added: number | null; revoked: number | null }
}

type KeyEntry = AgentEntry<'agent_key'>

/**
 * Compares each key that the service lists with its leaves, and requires that each key in the log is listed. The name of
 * a key must be its thumbprint.
 */
export const agentKeysCheck: Check = {
  name: 'keys',
  async verify(context) {
    const { service, reg, now } = context
    const head = requireVerified(context.head, 'the checkpoint')
    const entries = entriesOf(context, 'agent_key')
    const problems = judgeNumbers(entries.flatMap(numbered), head.voided)
    const listed = (await fetchPages(service, `/api/v1/agents/${reg}/keys`)).flatMap(itemsOf<AgentKey>)
    for (const key of listed) {
      const own = entries.filter(({ leaf }) => leaf.kid === key.kid)
      const wrong = differenceOf(key, { reg, alg: 'ed25519' }) ?? (await wrongKey(key, own, head, now))
      if (wrong) problems.push(`key ${key.kid}: ${wrong}`)
    }
    const names = new Set(listed.map(({ kid }) => kid))
    for (const { index, leaf } of entries)
      if (!names.has(leaf.kid) && listed.length < MOST_LISTED)
        problems.push(`key ${leaf.kid} of leaf ${index} is not listed`)
    requireNone(problems)
    context.keys = listed
    const active = listed.filter(({ status }) => status === 'active')
    return `${pluralize(listed.length, 'key')}, active: ${active.length}`
  },
}

/** What is wrong about a listed key; null if its leaves say the same, or it changed too recently to have them. */
async function wrongKey(
  { kid, reg, x, added_at, expires_at, revoked_at, reason, status, log }: AgentKey,
  own: readonly KeyEntry[],
  head: Seen,
  now: Date,
): Promise<string | null> {
  const key = publicJwk({ kty: 'OKP', crv: 'Ed25519', x })
  if (!key || (await thumbprint(key)) !== kid) return `is not the thumbprint of x, ${x}`
  const facts = { reg, kid, key, until: expires_at }
  const states = [
    { ...facts, rev: 1, state: 'added', reason: null, at: added_at },
    { ...facts, rev: 2, state: 'revoked', reason, at: revoked_at },
  ] as const
  for (const stated of states) {
    const { rev, state, at } = stated
    const entry = own.find(({ leaf }) => leaf.rev === rev)
    const shown = { ...stated, index: log?.[state] }
    const difference = entry
      ? differenceOf(shown, { ...entry.leaf, index: entry.index }, Object.keys(shown))
      : at === null && differenceOf(shown, { reason: null, index: null })
    if (difference) return `${state}: ${difference}`
    if (!entry && at !== null && !isRecent(head, at)) return `is not in the log as ${state}`
  }
  const untilExpiry = Date.parse(expires_at ?? '') - now.getTime()
  if (Math.abs(untilExpiry) < CLOCK_TOLERANCE_MS) return null
  return differenceOf({ status }, { status: revoked_at ? 'revoked' : untilExpiry < 0 ? 'expired' : 'active' })
}
