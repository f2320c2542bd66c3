import { utf8 } from '../../src/lib/crypto.ts'
import { encodeBase64, encodeBase64Url } from '../../src/transparency/bytes.ts'
import { thumbprint } from '../../src/transparency/jwk.ts'
import { webSha256 } from '../../src/transparency/merkle.ts'
import { quote } from './fields.ts'
import { SIGNATURE_TAG } from './request.ts'
import { queryOf } from './signature-base.ts'

const LABEL = 'sig1'
const DEFAULT_SECONDS = 60
const MAX_SECONDS = 300
const NONCE_BYTES = 24
const PRINTABLE = /^[\x20-\x7e]+$/

/** A private Ed25519 key as a JSON Web Key. Source: RFC 8037, section 2. */
export interface SigningKey {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  d: string
}

export interface SignRequestOptions {
  key: SigningKey
  /** The URL of the JWK Set with the public key: `https://registry.example/agents/REG-…/jwks.json`. */
  signatureAgent: string
  /** A current token for the key, with which receivers need no look-up. */
  token?: string | undefined
  /** The body: its SHA-256 is signed. */
  body?: string | Uint8Array | ArrayBuffer | undefined
  /** How long the signature is valid; default 60, at most 300. */
  seconds?: number
  /** Writes Signature-Agent as a string, for verifiers that do not know its dictionary form. */
  legacy?: boolean
  /** The current time, if not that of the clock. */
  now?: Date
}

/**
 * Signs a request as an agent.
 *
 * @returns the headers to add, in lowercase
 * @throws TypeError if an option is invalid
 *
 * Source: RFC 9421, section 3.1; RFC 9530, section 2.
 */
export async function signRequest(
  { method = 'GET', url }: { method?: string; url: string },
  options: SignRequestOptions,
): Promise<Record<string, string>> {
  const { key, signatureAgent, token, body, legacy } = options
  const { seconds = DEFAULT_SECONDS, now = new Date() } = options
  if (!(seconds >= 1 && seconds <= MAX_SECONDS))
    throw new TypeError(`seconds: must be from 1 to ${MAX_SECONDS}`)
  if (![method, signatureAgent, token ?? '-'].every((text) => PRINTABLE.test(text)))
    throw new TypeError('method, signatureAgent, token: must be printable ASCII')
  const { kty, crv, x, d } = key
  const algorithm = { name: 'Ed25519' }
  const privateKey = await crypto.subtle.importKey('jwk', { kty, crv, x, d }, algorithm, false, ['sign'])
  const target = new URL(url)
  target.hash = ''
  const query = queryOf(target)
  const agent = quote(signatureAgent)
  const headers: Record<string, string> = { 'signature-agent': legacy ? agent : `${LABEL}=${agent}` }
  const covered = [
    ['"@method"', method.toUpperCase()],
    ['"@authority"', target.host],
    ['"@path"', target.pathname],
    ...(query === '' ? [] : [['"@query"', query]]),
    [`"signature-agent"${legacy ? '' : `;key="${LABEL}"`}`, agent],
  ]
  const add = (name: string, value: string) => {
    headers[name] = value
    covered.push([quote(name), value])
  }
  if (token !== undefined) add('signature-key', `${LABEL}=jwt;jwt=${quote(token)}`)
  if (body !== undefined) {
    const bytes = typeof body === 'string' ? utf8(body) : new Uint8Array(body)
    add('content-digest', `sha-256=:${encodeBase64(await webSha256(bytes))}:`)
  }
  const created = Math.floor(now.getTime() / 1000)
  const nonce = encodeBase64Url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))
  const kid = await thumbprint({ crv, kty, x })
  const life = `created=${created};expires=${created + Math.floor(seconds)}`
  const names = covered.map(([name]) => name).join(' ')
  const input = `(${names});${life};keyid="${kid}";alg="ed25519";nonce="${nonce}";tag="${SIGNATURE_TAG}"`
  const base = [...covered, ['"@signature-params"', input]].map((line) => line.join(': ')).join('\n')
  const signature = new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, utf8(base)))
  add('signature-input', `${LABEL}=${input}`)
  add('signature', `${LABEL}=:${encodeBase64(signature)}:`)
  return headers
}

export interface SignedFetchOptions extends Omit<SignRequestOptions, 'body' | 'token' | 'now'> {
  token?: string | (() => string | Promise<string>)
  /** Replaces the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * A `fetch` that signs each request, with its body. It follows no redirect, as a signature is for one URL.
 *
 * @throws TypeError at a call, if an option is invalid
 */
export function signedFetch({
  token,
  fetch = (request) => globalThis.fetch(request),
  ...rest
}: SignedFetchOptions) {
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(input, { ...init, redirect: 'manual' })
    const body = request.body === null ? undefined : await request.clone().arrayBuffer()
    const current = typeof token === 'function' ? await token() : token
    const added = await signRequest(request, { ...rest, token: current, body })
    for (const [name, value] of Object.entries(added)) request.headers.set(name, value)
    return fetch(request)
  }
}
