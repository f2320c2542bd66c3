import { decodeBase64, encodeBase64 } from '../../src/transparency/bytes.ts'

const KEY = /[a-z*][a-z0-9_\-.*]*/y
const STRING = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const TOKEN = /[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*/y
const INTEGER = /-?\d{1,15}(?![\d.])/y
const BOOLEAN = /\?([01])/y
const BYTES = /:([A-Za-z0-9+/]*=*):/y

/** A value, with its strict serialization. */
type Bare = { text: string } & (
  | { type: 'string' | 'token'; value: string }
  | { type: 'integer'; value: number }
  | { type: 'boolean'; value: boolean }
  | { type: 'bytes'; value: Uint8Array<ArrayBuffer> }
)

/** An item, or an inner list: then `bare` is null. */
export interface Member {
  bare: Bare | null
  items: Member[]
  parameters: Map<string, Bare>
  /** Its strict serialization, with parameters. */
  text: string
}

const TRUE: Bare = { type: 'boolean', value: true, text: '?1' }

class NotAField extends Error {}

/**
 * Parses a dictionary of structured field values. Decimals, dates, and display strings are not supported, as signatures
 * contain none.
 *
 * @returns its members in their order, or null if the text is not a dictionary
 *
 * Source: RFC 9651, sections 3.2 and 4.2.2.
 */
export function parseDictionary(text: string): Map<string, Member> | null {
  return parseWith(text, (input) => {
    const members = new Map<string, Member>()
    while (!input.take(/$/y)) {
      const key = input.require(KEY)[0]
      members.set(key, input.take(/=/y) ? readMember(input) : withParameters(input, TRUE))
      input.require(/[ \t]*(,[ \t]*(?=.)|$)/y)
    }
    return members
  })
}

/** Parses a single item; null if the text is not one. Source: RFC 9651, section 4.2.3. */
export function parseItem(text: string): Member | null {
  return parseWith(text, (input) => withParameters(input, readBare(input)))
}

/** The serialization of a string of printable ASCII. Source: RFC 9651, section 4.1.6. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** The rest of a text, which is read with sticky patterns. */
interface Input {
  take(pattern: RegExp): RegExpExecArray | null
  require(pattern: RegExp): RegExpExecArray
}

function parseWith<Result>(given: string, read: (input: Input) => Result): Result | null {
  const text = given.replace(/^ +| +$/g, '')
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const require = (pattern: RegExp): RegExpExecArray => {
    const found = take(pattern)
    if (found) return found
    throw new NotAField()
  }
  try {
    const result = read({ take, require })
    return at === text.length ? result : null
  } catch (error) {
    if (error instanceof NotAField) return null
    throw error
  }
}

function readMember(input: Input): Member {
  if (!input.take(/\(/y)) return withParameters(input, readBare(input))
  const items: Member[] = []
  while (!input.take(/ *\)/y)) {
    input.take(/ */y)
    items.push(withParameters(input, readBare(input)))
    input.require(/(?=[ )])/y)
  }
  return withParameters(input, null, items)
}

function withParameters(input: Input, bare: Bare | null, items: Member[] = []): Member {
  const parameters = new Map<string, Bare>()
  while (input.take(/; */y)) {
    const key = input.require(KEY)[0]
    parameters.set(key, input.take(/=/y) ? readBare(input) : TRUE)
  }
  const own = bare?.text ?? `(${items.map(({ text }) => text).join(' ')})`
  const rest = [...parameters].map(([key, { text }]) => `;${key}${text === '?1' ? '' : `=${text}`}`)
  return { bare, items, parameters, text: own + rest.join('') }
}

function readBare(input: Input): Bare {
  let found = input.take(STRING)
  if (found) return { type: 'string', value: String(found[1]).replace(/\\(.)/g, '$1'), text: found[0] }
  found = input.take(TOKEN)
  if (found) return { type: 'token', value: found[0], text: found[0] }
  found = input.take(INTEGER)
  if (found) return { type: 'integer', value: Number(found[0]), text: `${Number(found[0]) + 0}` }
  found = input.take(BOOLEAN)
  if (found) return { type: 'boolean', value: found[1] === '1', text: found[0] }
  const bytes = decodeBase64(String(input.require(BYTES)[1]))
  if (!bytes) throw new NotAField()
  return { type: 'bytes', value: bytes, text: `:${encodeBase64(bytes)}:` }
}
