import { type InnerList, type Item, parseDictionary } from './fields.ts'

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
const DERIVED: Record<string, (message: Message) => string> = {
  '@method': ({ method }) => method,
  '@target-uri': ({ url }) => url.href,
  '@authority': ({ url }) => url.host,
  '@scheme': ({ url }) => url.protocol.slice(0, -1),
  '@request-target': ({ url }) => url.pathname + queryOf(url, ''),
  '@path': ({ url }) => url.pathname,
  '@query': ({ url }) => queryOf(url, '?'),
}

/** The query of a URL with its question mark, which `search` omits if nothing follows it. */
export function queryOf({ href, search }: URL, none: '' | '?'): string {
  return search || (href.endsWith('?') ? '?' : none)
}

/**
 * The text that is signed.
 *
 * @param covered the components, and the parameters of the signature
 * @returns null if a component is missing, repeated, or not supported
 *
 * Source: RFC 9421, section 2.5.
 */
export function signatureBase(message: Message, covered: InnerList): string | null {
  const lines: string[] = []
  const seen = new Set<string>()
  for (const item of covered.items) {
    const value = componentOf(message, item)
    if (value === null || !PRINTABLE.test(value) || seen.has(item.text)) return null
    seen.add(item.text)
    lines.push(`${item.text}: ${value}`)
  }
  return [...lines, `"@signature-params": ${covered.text}`].join('\n')
}

function componentOf(message: Message, { bare, parameters }: Item): string | null {
  const name = bare.type === 'string' ? String(bare.value) : ''
  const key = parameters.get('key')
  if (parameters.size > (key ? 1 : 0)) return null
  if (name.startsWith('@'))
    return key || !Object.hasOwn(DERIVED, name) ? null : (DERIVED[name]?.(message) ?? null)
  const value = FIELD_NAME.test(name) ? message.field(name) : null
  if (value === null || !key) return value
  return key.type === 'string' ? (parseDictionary(value)?.get(String(key.value))?.text ?? null) : null
}
