import { decodeBase64, encodeBase64 } from '../../src/transparency/bytes.ts'

const KEY = /[a-z*][a-z0-9_\-.*]*/y
const NUMBER = /-?(\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])/y
const STRING = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y
const TOKEN = /[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*/y
const BYTES = /:([A-Za-z0-9+/]*=*):/y
const BOOLEAN = /\?([01])/y
const DATE = /@(-?\d{1,15})(?![\d.])/y

/** A bare item, with its strict serialization. */
export interface Bare {
  type: 'number' | 'string' | 'token' | 'bytes' | 'boolean' | 'date'
  value: number | string | boolean | Uint8Array<ArrayBuffer>
  text: string
}

export type Parameters = Map<string, Bare>

export interface Item {
  bare: Bare
  parameters: Parameters
  /** Its strict serialization, with parameters. */
  text: string
}

export interface InnerList {
  items: Item[]
  parameters: Parameters
  text: string
}

export type Member = Item | InnerList

/**
 * Parses a dictionary of structured field values; display strings are not supported.
 *
 * @returns its members in their order, or null if the text is not a dictionary
 *
 * Source: RFC 9651, sections 3.2 and 4.2.2.
 */
export function parseDictionary(text: string): Map<string, Member> | null {
  return parseWith(text, (input) => {
    const members = new Map<string, Member>()
    while (!input.isAtEnd()) {
      const key = input.require(KEY)[0]
      members.set(key, input.skip('=') ? readMember(input) : itemOf(TRUE, readParameters(input)))
      input.take(/[ \t]*/y)
      if (input.isAtEnd()) break
      input.require(/,[ \t]*(?=.)/y)
    }
    return members
  })
}

/** Parses a single item; null if the text is not one. Source: RFC 9651, section 4.2.3. */
export function parseItem(text: string): Item | null {
  return parseWith(text, readItem)
}

/** The serialization of a string of printable ASCII. Source: RFC 9651, section 4.1.6. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

class NotAField extends Error {}

const TRUE: Bare = { type: 'boolean', value: true, text: '?1' }

/** The rest of a text, which is read with sticky patterns. */
function inputOf(text: string) {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  return {
    take,
    isAtEnd: () => at === text.length,
    skip: (character: string) => text[at] === character && ++at > 0,
    require: (pattern: RegExp): RegExpExecArray => {
      const found = take(pattern)
      if (found) return found
      throw new NotAField()
    },
  }
}

type Input = ReturnType<typeof inputOf>

function parseWith<Result>(text: string, read: (input: Input) => Result): Result | null {
  const input = inputOf(text.replace(/^ +| +$/g, ''))
  try {
    const result = read(input)
    return input.isAtEnd() ? result : null
  } catch (error) {
    if (error instanceof NotAField) return null
    throw error
  }
}

function readMember(input: Input): Member {
  if (!input.skip('(')) return readItem(input)
  const items: Item[] = []
  while (input.take(/ */y) && !input.skip(')')) {
    items.push(readItem(input))
    input.require(/(?=[ )])/y)
  }
  const parameters = readParameters(input)
  return { items, parameters, text: `(${items.map(({ text }) => text).join(' ')})${textOf(parameters)}` }
}

function readItem(input: Input): Item {
  return itemOf(readBare(input), readParameters(input))
}

function itemOf(bare: Bare, parameters: Parameters): Item {
  return { bare, parameters, text: bare.text + textOf(parameters) }
}

function readParameters(input: Input): Parameters {
  const parameters: Parameters = new Map()
  while (input.skip(';')) {
    input.take(/ */y)
    const key = input.require(KEY)[0]
    parameters.set(key, input.skip('=') ? readBare(input) : TRUE)
  }
  return parameters
}

function textOf(parameters: Parameters): string {
  return [...parameters].map(([key, { text }]) => `;${key}${text === '?1' ? '' : `=${text}`}`).join('')
}

function readBare(input: Input): Bare {
  let found = input.take(STRING)
  if (found) return { type: 'string', value: String(found[1]).replace(/\\(.)/g, '$1'), text: found[0] }
  found = input.take(TOKEN)
  if (found) return { type: 'token', value: found[0], text: found[0] }
  found = input.take(NUMBER)
  if (found) return numberOf(found[0])
  found = input.take(BOOLEAN)
  if (found) return { type: 'boolean', value: found[1] === '1', text: found[0] }
  found = input.take(DATE)
  if (found) return { ...numberOf(String(found[1])), type: 'date', text: `@${Number(found[1])}` }
  const bytes = decodeBase64(String(input.require(BYTES)[1]))
  if (!bytes) throw new NotAField()
  return { type: 'bytes', value: bytes, text: `:${encodeBase64(bytes)}:` }
}

/** A decimal keeps a fraction, as `1.0`, which distinguishes it from an integer. */
function numberOf(text: string): Bare {
  const value = Number(text) + 0
  return {
    type: 'number',
    value,
    text: text.includes('.') && Number.isInteger(value) ? `${value}.0` : `${value}`,
  }
}
