import { utf8 } from '../../src/lib/crypto.ts'
import { encodeBase64Url, sameBytes } from '../../src/transparency/bytes.ts'
import { verifyEd25519 } from '../../src/transparency/keys.ts'
import { webSha256 } from '../../src/transparency/merkle.ts'
import type { AgentSource } from './agents.ts'
import {
  type Bare,
  type InnerList,
  type Member,
  type Parameters,
  parseDictionary,
  parseItem,
} from './fields.ts'
import { SAFE } from './keys.ts'
import { bodyOf, type ReceivedRequest, readMessage } from './message.ts'
import { type Message, queryOf, signatureBase } from './signature-base.ts'
import type { Verification } from './token.ts'

export const SIGNATURE_TAG = 'web-bot-auth'
const FIELD_MAX_LENGTH = 8_192
const SIGNATURES_MAX = 3
const CLOCK_SECONDS = 30
const DEFAULT_LIFE_SECONDS = 300
const DEFAULT_REQUIRED = ['@method', '@path', '@query']
const WHOLE_URL = ['@authority', '@scheme', '@path', '@query', '@request-target']
const THUMBPRINT = /^[\w-]{43}$/

/** Why a request is not verified. */
export type RequestRejection =
  | 'no_signature' // no signature with the tag web-bot-auth: the outcome is `unsigned`
  | 'malformed' // a field is not as RFC 9421 requires, longer than 8 KB, or the path is not as the URL standard writes it
  | 'unsupported' // not Ed25519, or the keyid is not a thumbprint
  | 'wrong_host' // none of the origins
  | 'not_yet_valid' // created more than 30 seconds in the future
  | 'expired' // more than 30 seconds ago
  | 'too_long' // valid for longer than `maxLifeSeconds`
  | 'not_covered' // the signature does not cover what it must
  | 'bad_component' // a covered component is missing, repeated, or not supported
  | 'unknown_key' // the registry knows no valid key with this thumbprint: `unverified`
  | 'unavailable' // the registry does not respond: `unverified`
  | 'bad_signature'
  | 'bad_digest' // the body is not the signed one, or was not given
  | 'inactive' // the agent is deactivated, or its operator suspended
  | 'key_too_new'
  | 'replayed'

interface Seen {
  /** The thumbprint of the key; null if no signature could be read. */
  keyId: string | null
  /** The covered components, as the signature names them: `"@method"`. */
  covered: string[]
}

export type VerifiedRequest = Seen &
  (
    | { outcome: 'verified'; reason: null; agent: Verification; keyId: string }
    | { outcome: 'unsigned' | 'unverified' | 'invalid'; reason: RequestRejection; agent: null }
  )

export interface VerifyRequestOptions {
  /** `registeredAgents(issuer)`, created once. */
  agents: AgentSource
  /** Your own origin, such as `https://shop.example`, or several; never taken from the request. */
  origin: string | readonly string[]
  /** Components that must be covered; default `@method`, `@path`, `@query`. `@query` is needed only if there is one. */
  require?: readonly string[]
  /** The longest accepted time between `created` and `expires`; default 300. */
  maxLifeSeconds?: number
  /** The body, if it has already been read or the request is one of Node. */
  body?: string | Uint8Array | ArrayBuffer | undefined
  /** Stores an id until a time, atomically; false if it was already stored. */
  once?: (id: string, until: Date) => boolean | Promise<boolean>
  /** Accepts only what the registry has stated in the last 10 seconds. */
  fresh?: boolean
  /** Rejects keys that were registered more recently. */
  minKeyAgeSeconds?: number
  /** The current time, if not that of the clock. */
  now?: Date
}

/**
 * Verifies which registered agent signed a request.
 *
 * @returns the agent, or null and the reason; no request makes it throw
 * @throws TypeError if an option is invalid
 *
 * Source: agent keys, section 6; RFC 9421, section 3.2; draft-ietf-webbotauth-httpsig-protocol-01.
 */
export async function verifyRequest(
  request: ReceivedRequest,
  options: VerifyRequestOptions,
): Promise<VerifiedRequest> {
  const origins = [options.origin].flat()
  const seconds = (options.now ?? new Date()).getTime() / 1000
  requireOptions(options, origins, seconds)
  const nothing: Seen = { keyId: null, covered: [] }
  const message = readMessage(request, origins)
  if (typeof message === 'string') return rejected(message, nothing)
  const candidates = readCandidates(message)
  if (typeof candidates === 'string') return rejected(candidates, nothing)
  let first: VerifiedRequest | null = null
  for (const candidate of candidates) {
    const seen = { keyId: candidate.keyId, covered: candidate.input.items.map(({ text }) => text) }
    const found = await verifyCandidate(request, message, candidate, options, seconds)
    if (typeof found !== 'string') return { outcome: 'verified', reason: null, agent: found, ...seen }
    first ??= rejected(found, seen)
  }
  return first ?? rejected('no_signature', nothing)
}

function requireOptions(
  { agents, maxLifeSeconds = 0, minKeyAgeSeconds = 0 }: VerifyRequestOptions,
  origins: readonly string[],
  seconds: number,
): void {
  if (origins.length === 0 || !origins.every((one) => URL.canParse(one) && new URL(one).origin === one))
    throw new TypeError('origin: must be your own origin, such as https://shop.example')
  if (Number.isNaN(seconds)) throw new TypeError('now: must be a valid Date')
  if (!(maxLifeSeconds >= 0 && minKeyAgeSeconds >= 0)) throw new TypeError('seconds: must be at least 0')
  if (typeof agents?.holderOf !== 'function') throw new TypeError('agents: must be registeredAgents(issuer)')
}

function rejected(reason: RequestRejection, seen: Seen): VerifiedRequest {
  const isOpen = reason === 'unknown_key' || reason === 'unavailable'
  const outcome = reason === 'no_signature' ? 'unsigned' : isOpen ? 'unverified' : 'invalid'
  return { outcome, reason, agent: null, ...seen }
}

interface Candidate {
  label: string
  input: InnerList
  signature: Uint8Array<ArrayBuffer>
  created: number
  expires: number
  keyId: string
}

/** The first signatures with our tag, or why one of them cannot be read. */
function readCandidates(message: Message): Candidate[] | 'no_signature' | 'malformed' {
  const written = message.field('signature-input')
  if (written === null) return 'no_signature'
  const inputs = dictionaryOf(message, 'signature-input')
  if (!inputs) return 'malformed'
  const ours = [...inputs].filter(([, { parameters }]) => textIn(parameters, 'tag') === SIGNATURE_TAG)
  if (ours.length === 0) return 'no_signature'
  const signatures = dictionaryOf(message, 'signature')
  const candidates: Candidate[] = []
  for (const [label, input] of ours.slice(0, SIGNATURES_MAX)) {
    const signature = bareOf(signatures?.get(label))?.value
    const { parameters } = input
    const [created, expires] = [integerIn(parameters, 'created'), integerIn(parameters, 'expires')]
    const keyId = textIn(parameters, 'keyid')
    if (!('items' in input) || !(signature instanceof Uint8Array) || keyId === null) return 'malformed'
    if (created === null || expires === null || expires <= created) return 'malformed'
    candidates.push({ label, input, signature, created, expires, keyId })
  }
  return candidates
}

/** The agent that made a signature, or why it does not count. Look-ups come after all checks that cost nothing. */
async function verifyCandidate(
  request: ReceivedRequest,
  message: Message,
  candidate: Candidate,
  {
    agents,
    require = DEFAULT_REQUIRED,
    maxLifeSeconds = DEFAULT_LIFE_SECONDS,
    ...options
  }: VerifyRequestOptions,
  seconds: number,
): Promise<Verification | RequestRejection> {
  const { input, keyId: kid, created, expires, signature } = candidate
  const algorithm = input.parameters.get('alg')
  if (!THUMBPRINT.test(kid) || (algorithm && algorithm.value !== 'ed25519')) return 'unsupported'
  if (created > seconds + CLOCK_SECONDS) return 'not_yet_valid'
  if (expires < seconds - CLOCK_SECONDS) return 'expired'
  if (expires - created > maxLifeSeconds) return 'too_long'

  const covered = coveredBy(input)
  if (!isCovered('@authority', covered)) return 'not_covered'
  const needed = require.filter((name) => name !== '@query' || queryOf(message.url, '') !== '')
  if (!needed.every((name) => isCovered(name, covered))) return 'not_covered'
  const presented = readToken(message, candidate.label, covered)
  if (presented && 'reason' in presented) return presented.reason
  const problem = problemOfAgentField(message, input)
  if (problem) return problem
  const base = signatureBase(message, input)
  if (base === null) return 'bad_component'

  const fresh = options.fresh ?? false
  const holder = await agents.holderOf({ kid, token: presented?.token ?? null, fresh, seconds })
  if (typeof holder === 'string') return holder
  if (!(await verifyEd25519(holder, signature, utf8(base)))) return 'bad_signature'
  if (covered.has('content-digest') && !(await hasDigest(request, message, options.body))) return 'bad_digest'
  const { active, operator_status } = holder.verification
  if (active !== true || operator_status === 'suspended') return 'inactive'
  const { minKeyAgeSeconds = 0, once } = options
  if (minKeyAgeSeconds > 0 && !(seconds - (holder.addedAt ?? seconds) >= minKeyAgeSeconds))
    return 'key_too_new'
  const until = new Date((expires + CLOCK_SECONDS) * 1000)
  if (once && !(await once(`${kid}:${encodeBase64Url(signature)}`, until))) return 'replayed'
  return holder.verification
}

/** The names of components that are covered as a whole. */
function coveredBy({ items }: InnerList): Set<string> {
  return new Set(
    items.filter(({ parameters }) => parameters.size === 0).map(({ bare }) => String(bare.value)),
  )
}

function isCovered(name: string, covered: ReadonlySet<string>): boolean {
  return covered.has(name) || (covered.has('@target-uri') && WHOLE_URL.includes(name))
}

/** The token in Signature-Key for a signature, which must cover it: it could be replaced otherwise. */
function readToken(message: Message, label: string, covered: ReadonlySet<string>) {
  if (message.field('signature-key') === null) return null
  const member = dictionaryOf(message, 'signature-key')
  if (!member) return { reason: 'malformed' } as const
  const bare = bareOf(member.get(label))
  const token = textIn(member.get(label)?.parameters, 'jwt')
  if (bare?.type !== 'token' || bare.value !== 'jwt' || token === null) return null
  return covered.has('signature-key') ? { token } : ({ reason: 'not_covered' } as const)
}

/** What is wrong with Signature-Agent and its coverage; null if nothing is, or there is no such field. */
function problemOfAgentField(message: Message, { items }: InnerList): RequestRejection | null {
  const value = message.field('signature-agent')
  if (value === null) return null
  const components = items.filter(({ bare }) => bare.value === 'signature-agent')
  const whole = parseItem(value)
  const members = dictionaryOf(message, 'signature-agent')
  if (value.length > FIELD_MAX_LENGTH || !(whole || members)) return 'malformed'
  if (components.length === 0) return 'not_covered'
  for (const { parameters } of components) {
    const key = textIn(parameters, 'key')
    const bare = key === null ? whole?.bare : bareOf(members?.get(key))
    if (!bare) return key === null ? 'malformed' : 'bad_component'
    const isUrl = bare.type === 'string' && SAFE.test(String(bare.value)) && URL.canParse(String(bare.value))
    if (!isUrl) return 'not_covered'
  }
  return null
}

async function hasDigest(request: ReceivedRequest, message: Message, given: VerifyRequestOptions['body']) {
  const digest = bareOf(dictionaryOf(message, 'content-digest')?.get('sha-256'))?.value
  const body = digest instanceof Uint8Array ? await bodyOf(request, given) : null
  return body !== null && digest instanceof Uint8Array && sameBytes(await webSha256(body), digest)
}

function dictionaryOf(message: Message, name: string): Map<string, Member> | null {
  const value = message.field(name)
  return value === null || value.length > FIELD_MAX_LENGTH ? null : parseDictionary(value)
}

function bareOf(member: Member | undefined): Bare | null {
  return member && 'bare' in member ? member.bare : null
}

function textIn(parameters: Parameters | undefined, name: string): string | null {
  const found = parameters?.get(name)
  return found?.type === 'string' ? String(found.value) : null
}

function integerIn(parameters: Parameters, name: string): number | null {
  const found = parameters.get(name)
  return found?.type === 'number' && !found.text.includes('.') ? Number(found.value) : null
}
