import { type Member, parseDictionary } from './fields.ts'

const PRINTABLE = /^[\x20-\x7e\t]*$/
const FIELD_NAME = /^[a-z0-9!#$%&'*+\-.^_`|~]+$/

/** A request as its sender signs it. */
export interface Message {
  method: string
  /** As the URL standard writes it. */
  url: URL
  /** The value of a field, combined as in RFC 9421, section 2.1; null if there is none. The name is in lowercase. */
  field(name: string): string | null
}

/** The derived components of a request but `@query-param`. Source: RFC 9421, section 2.2. */
const DERIVED = /* @__PURE__ */ new Map<string, (message: Message) => string>([
  ['@method', ({ method }) => method],
  ['@target-uri', ({ url }) => url.href],
  ['@authority', ({ url }) => url.host],
  ['@scheme', ({ url }) => url.protocol.slice(0, -1)],
  ['@request-target', ({ url }) => url.pathname + queryOf(url)],
  ['@path', ({ url }) => url.pathname],
  ['@query', ({ url }) => queryOf(url) || '?'],
])

/** The query of a URL with its question mark, which `search` omits if nothing follows it. */
export function queryOf({ href, search }: URL): string {
  return search || (href.endsWith('?') ? '?' : '')
}

/**
 * The text that is signed.
 *
 * @param covered the components, and the parameters of the signature
 * @returns null if a component is missing, repeated, or not supported
 *
 * Source: RFC 9421, section 2.5.
 */
export function signatureBase(message: Message, covered: Member): string | null {
  const lines: string[] = []
  for (const item of covered.items) {
    const value = componentOf(message, item)
    const isRepeated = lines.some((line) => line.startsWith(`${item.text}: `))
    if (value === null || !PRINTABLE.test(value) || isRepeated) return null
    lines.push(`${item.text}: ${value}`)
  }
  return [...lines, `"@signature-params": ${covered.text}`].join('\n')
}

function componentOf(message: Message, { bare, parameters }: Member): string | null {
  const name = bare?.type === 'string' ? bare.value : ''
  const key = parameters.get('key')
  if (parameters.size > (key ? 1 : 0)) return null
  if (name.startsWith('@')) return key ? null : (DERIVED.get(name)?.(message) ?? null)
  const value = FIELD_NAME.test(name) ? message.field(name) : null
  if (value === null || !key) return value
  return key.type === 'string' ? (parseDictionary(value)?.get(key.value)?.text ?? null) : null
}
