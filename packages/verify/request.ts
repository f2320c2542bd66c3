import { utf8 } from '../../src/lib/crypto.ts'
import { encodeBase64Url, sameBytes } from '../../src/transparency/bytes.ts'
import { verifyEd25519 } from '../../src/transparency/keys.ts'
import { webSha256 } from '../../src/transparency/merkle.ts'
import type { AgentSource } from './agents.ts'
import { type Member, parseDictionary, parseItem } from './fields.ts'
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

export type VerifiedRequest = {
  /** The thumbprint of the key; null if no signature could be read. */
  keyId: string | null
  /** The covered components, as the signature names them: `"@method"`. */
  covered: string[]
} & (
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
 * Source: RFC 9421, section 3.2; draft-ietf-webbotauth-httpsig-protocol-01.
 */
export async function verifyRequest(
  request: ReceivedRequest,
  options: VerifyRequestOptions,
): Promise<VerifiedRequest> {
  const origins = [options.origin].flat()
  const seconds = (options.now ?? new Date()).getTime() / 1000
  requireOptions(options, origins, seconds)
  const message = readMessage(request, origins)
  if (typeof message === 'string') return rejected(message)
  const inputs = dictionaryOf(message, 'signature-input')
  if (!inputs) return rejected(message.field('signature-input') === null ? 'no_signature' : 'malformed')
  const ours = [...inputs].filter(([, { parameters }]) => textIn(parameters, 'tag') === SIGNATURE_TAG)
  let first: VerifiedRequest | null = null
  for (const signed of ours.slice(0, SIGNATURES_MAX)) {
    const [, { items, parameters }] = signed
    const seen = { keyId: textIn(parameters, 'keyid') ?? '', covered: items.map(({ text }) => text) }
    const found = await verifySignature(request, message, signed, options, seconds)
    if (typeof found !== 'string') return { outcome: 'verified', reason: null, agent: found, ...seen }
    first ??= rejected(found, seen)
  }
  return first ?? rejected('no_signature')
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

function rejected(reason: RequestRejection, seen = { keyId: '', covered: [] as string[] }): VerifiedRequest {
  const isOpen = reason === 'unknown_key' || reason === 'unavailable'
  const outcome = reason === 'no_signature' ? 'unsigned' : isOpen ? 'unverified' : 'invalid'
  return { outcome, reason, agent: null, covered: seen.covered, keyId: seen.keyId || null }
}

/** The agent that made a signature, or why it does not count. Look-ups come after all checks that cost nothing. */
async function verifySignature(
  request: ReceivedRequest,
  message: Message,
  [label, input]: [string, Member],
  options: VerifyRequestOptions,
  seconds: number,
): Promise<Verification | RequestRejection> {
  const { require = DEFAULT_REQUIRED, maxLifeSeconds = DEFAULT_LIFE_SECONDS } = options
  const { agents, minKeyAgeSeconds = 0, fresh = false, body, once } = options
  const [created, expires] = ['created', 'expires'].map((name) => input.parameters.get(name))
  const kid = textIn(input.parameters, 'keyid')
  const signature = dictionaryOf(message, 'signature')?.get(label)?.bare
  if (input.bare || signature?.type !== 'bytes' || kid === null) return 'malformed'
  if (created?.type !== 'integer' || expires?.type !== 'integer') return 'malformed'
  const algorithm = input.parameters.get('alg')
  if (!THUMBPRINT.test(kid) || (algorithm && algorithm.value !== 'ed25519')) return 'unsupported'
  if (expires.value <= created.value) return 'malformed'
  if (created.value > seconds + CLOCK_SECONDS) return 'not_yet_valid'
  if (expires.value < seconds - CLOCK_SECONDS) return 'expired'
  if (expires.value - created.value > maxLifeSeconds) return 'too_long'

  const plain = input.items.filter(({ parameters }) => parameters.size === 0)
  const covered = new Set<unknown>(plain.map(({ bare }) => bare?.value))
  const covers = (name: string) =>
    covered.has(name) || (covered.has('@target-uri') && WHOLE_URL.includes(name))
  const needed = require.filter((name) => name !== '@query' || queryOf(message.url) !== '')
  if (!['@authority', ...needed].every(covers)) return 'not_covered'
  const token = tokenIn(message, label)
  if (token !== null && !covered.has('signature-key')) return 'not_covered' // it could be replaced
  const problem = problemOfAgentField(message, input)
  if (problem) return problem
  const base = signatureBase(message, input)
  if (base === null) return 'bad_component'

  const holder = await agents.holderOf({ kid, token, fresh, seconds })
  if (typeof holder === 'string') return holder
  if (!(await verifyEd25519(holder, signature.value, utf8(base)))) return 'bad_signature'
  if (covered.has('content-digest') && !(await hasDigest(message, await bodyOf(request, body))))
    return 'bad_digest'
  const { active, operator_status } = holder.verification
  if (active !== true || operator_status === 'suspended') return 'inactive'
  if (minKeyAgeSeconds > 0 && !(seconds - (holder.addedAt ?? seconds) >= minKeyAgeSeconds))
    return 'key_too_new'
  const until = new Date((expires.value + CLOCK_SECONDS) * 1000)
  if (once && !(await once(`${kid}:${encodeBase64Url(signature.value)}`, until))) return 'replayed'
  return holder.verification
}

/** The token in Signature-Key for a signature; null if there is none. */
function tokenIn(message: Message, label: string): string | null {
  const member = dictionaryOf(message, 'signature-key')?.get(label)
  return member?.bare?.type === 'token' && member.bare.value === 'jwt'
    ? textIn(member.parameters, 'jwt')
    : null
}

/** What is wrong with Signature-Agent and its coverage; null if nothing is, or there is no such field. */
function problemOfAgentField(message: Message, { items }: Member): RequestRejection | null {
  const value = message.field('signature-agent')
  if (value === null) return null
  const members = dictionaryOf(message, 'signature-agent')
  const whole = value.length > FIELD_MAX_LENGTH ? null : parseItem(value)
  if (!members && !whole) return 'malformed'
  const covered = items.filter(({ bare }) => bare?.value === 'signature-agent')
  const areUrls = covered.every(({ parameters }) => {
    const key = parameters.get('key')
    const url = (key ? members?.get(String(key.value)) : whole)?.bare
    return url?.type === 'string' && SAFE.test(url.value) && URL.canParse(url.value)
  })
  return covered.length > 0 && areUrls ? null : 'not_covered'
}

async function hasDigest(message: Message, body: Uint8Array<ArrayBuffer> | null): Promise<boolean> {
  const digest = dictionaryOf(message, 'content-digest')?.get('sha-256')?.bare
  if (digest?.type !== 'bytes' || body === null) return false
  return sameBytes(await webSha256(body), digest.value)
}

function dictionaryOf(message: Message, name: string): Map<string, Member> | null {
  const value = message.field(name)
  return value === null || value.length > FIELD_MAX_LENGTH ? null : parseDictionary(value)
}

function textIn(parameters: Member['parameters'], name: string): string | null {
  const found = parameters.get(name)
  return found?.type === 'string' ? found.value : null
}
