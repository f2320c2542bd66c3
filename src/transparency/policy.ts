import { isSameKey, parseVerifierKey, SIGNATURE_TYPES, type VerifierKey } from './keys.ts'

const MAX_LINES = 1_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a policy must not hold
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/
const COUNT = /^[1-9]\d{0,3}$/

/** A witness. */
export interface Witness {
  /** Its name within the policy. */
  name: string
  key: VerifierKey
  /** Where it accepts checkpoints; null if the policy does not state it. */
  url: string | null
}

/** How many of its members must have cosigned a checkpoint; members are names of witnesses and groups. */
interface Group {
  threshold: number
  members: string[]
}

/** Which logs are trusted, and which witnesses must have cosigned their heads. */
export interface Policy {
  /** The name of each key is the origin of its log; a log that rotates its key has two. */
  logs: VerifierKey[]
  witnesses: Witness[]
  groups: ReadonlyMap<string, Group>
  /** Name of a witness or a group; `none` if the signature of the log is enough. */
  quorum: string
}

/**
 * Parses a trust policy.
 *
 * @param text lines `log <vkey> [<url>]`, `witness <name> <vkey> [<url>]`, `group <name> all|any|<k> <name>…`, and
 * exactly one `quorum <name>|none`; lines that start with `#` are comments
 * @throws TypeError that names the line and its problem, such as a name that is defined twice or not yet, or a key that
 * is not Ed25519
 *
 * Source: C2SP tlog-policy.
 */
export async function parsePolicy(text: string): Promise<Policy> {
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) throw new TypeError(`policy: at most ${MAX_LINES} lines`)
  const groups = new Map<string, Group>()
  const policy: Policy = { logs: [], witnesses: [], groups, quorum: '' }
  const members = new Set<string>()
  const isDefined = (name: string) => groups.has(name) || policy.witnesses.some((one) => one.name === name)
  for (const [at, line] of lines.entries()) {
    const invalid = (problem: string) => new TypeError(`policy, line ${at + 1}: ${problem}`)
    if (CONTROL.test(line)) throw invalid('control characters other than tab and newline')
    const [keyword = '', ...words] = line.split(/[ \t]+/).filter((word) => word !== '')
    if (keyword === '' || keyword.startsWith('#')) continue
    if (keyword === 'log') {
      const [vkey = '', , extra] = words
      const key = await parseVerifierKey(vkey)
      if (extra !== undefined || key?.type !== SIGNATURE_TYPES.note)
        throw invalid('must be log <vkey> [<url>], type 1')
      if (policy.logs.some((one) => isSameKey(one, key))) throw invalid('a log that is listed already')
      policy.logs.push(key)
    } else if (keyword === 'witness') {
      const [name = '', vkey = '', url = null, extra] = words
      const key = await parseVerifierKey(vkey)
      if (extra !== undefined || key?.type !== SIGNATURE_TYPES.cosignature) {
        throw invalid('must be witness <name> <vkey> [<url>], type 4')
      }
      if (name === 'none' || isDefined(name)) throw invalid('a name that is taken')
      if (policy.witnesses.some((one) => isSameKey(one.key, key)))
        throw invalid('a witness that is listed already')
      policy.witnesses.push({ name, key, url })
    } else if (keyword === 'group') {
      const [name = 'none', count = '', ...names] = words
      const threshold = toThreshold(count, names.length)
      if (threshold === null) throw invalid('must be group <name> all|any|<number> <name>…')
      if (name === 'none' || isDefined(name)) throw invalid('a name that is taken')
      for (const member of names) {
        if (!isDefined(member)) throw invalid(`${member} is not defined above`)
        if (members.has(member)) throw invalid(`${member} is a member already`)
        members.add(member)
      }
      groups.set(name, { threshold, members: names })
    } else if (keyword === 'quorum') {
      const [name = '', extra] = words
      if (policy.quorum !== '') throw invalid('a second quorum')
      if (extra !== undefined || (name !== 'none' && !isDefined(name)))
        throw invalid('must name what is defined above')
      policy.quorum = name
    } else throw invalid('must begin with log, witness, group or quorum')
  }
  if (policy.quorum === '') throw new TypeError('policy: has no quorum line')
  return policy
}

/**
 * Whether enough witnesses cosigned a checkpoint.
 *
 * @param witnessed names, in the policy, of the witnesses that did
 */
export function hasQuorum({ groups, quorum }: Policy, witnessed: ReadonlySet<string>): boolean {
  const has = (name: string): boolean => {
    const group = groups.get(name)
    return group ? group.members.filter(has).length >= group.threshold : witnessed.has(name)
  }
  return quorum === 'none' || has(quorum)
}

function toThreshold(count: string, members: number): number | null {
  if (members === 0) return null
  if (count === 'all') return members
  if (count === 'any') return 1
  return COUNT.test(count) && Number(count) <= members ? Number(count) : null
}
