import { fromBase64, hmacSha256, toBase64 } from '../lib/crypto.ts'

/** Whom a document names, as the provider has read it; held in memory while a check settles, and nowhere else. */
export interface Person {
  first_name: string | null
  last_name: string | null
  /** `YYYY-MM-DD`; null when the document does not say it. */
  birth_date: string | null
}

const DASH = /\p{Pd}/gu
/** Accents that stand alone, as in O´Brien: decomposed they would leave a space. */
const LONE_ACCENT = /\p{Sk}/gu
/** Accents and points. Vowel signs of other scripts and the voicing marks of kana are what a name is made of: they stay. */
const ACCENT = /(?![\u3099\u309a])(?=[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}])\p{M}/gu
/** Punctuation, symbols and invisible characters; of the modifier letters those that are written for an apostrophe. */
const REMOVED = /[\p{P}\p{S}\p{Cf}\u02b9-\u02ff]/gu

/** Letters that do not decompose, as the machine-readable zone of a passport writes them. */
const SPELLED: Readonly<Record<string, string>> = {
  æ: 'ae',
  ø: 'oe',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  đ: 'd',
  ħ: 'h',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
}
const SPELLED_LETTER = new RegExp(`[${Object.keys(SPELLED).join('')}]`, 'g')
/** What that zone writes for a vowel with a mark, which elsewhere loses the mark alone: MUELLER for Müller. */
const SPELLED_MARK = /a[ae]+|[ou]e+/g

/**
 * A name in the form in which names are compared: decomposed (NFKD), without accents and punctuation, case folded, runs
 * of space as one. A dash counts as a space, as in the machine-readable zone of a passport.
 *
 * Source: Unicode Standard Annex 15; ICAO Doc 9303-3, section 4.6.
 */
export function normalizeName(name: string): string {
  return name
    .replace(DASH, ' ')
    .replace(LONE_ACCENT, '')
    .normalize('NFKD')
    .toUpperCase() // then lower: ß and SS, ı and I become one
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll('ς', 'σ')
    .replace(ACCENT, '')
    .replace(REMOVED, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Whether a document bears this name: first and last name in either order, all of both. */
export function bearsName({ first_name, last_name }: Person, name: string): boolean {
  const [first, last] = [normalizeName(first_name ?? ''), normalizeName(last_name ?? '')]
  const wanted = normalizeName(name)
  return wanted !== '' && [`${first} ${last}`.trim(), `${last} ${first}`.trim()].includes(wanted)
}

/**
 * Who a person is, so that two checks can be recognized as of the same one: HMAC-SHA-256 of date of birth, last name and
 * first given name, in base64. A person of one name has it as the last name, wherever the document puts it.
 *
 * @param identityKey IDENTITY_KEY: 32 bytes in base64
 * @returns null when the document does not say enough
 *
 * Source: ICAO Doc 9303-3, section 6.A, for the letters that documents write in two ways.
 */
export async function identityOf(identityKey: string, person: Person): Promise<string | null> {
  const names = [person.last_name, person.first_name].map((name) => transcribe(name ?? '')).filter(Boolean)
  const [last, given = ''] = names
  if (person.birth_date === null || last === undefined) return null
  const [first = ''] = given.split(' ', 1)
  return toBase64(await hmacSha256(fromBase64(identityKey), `${person.birth_date}|${last}|${first}`))
}

/** A normalized name in letters that all documents of a person share; two names may become one. */
function transcribe(name: string): string {
  return normalizeName(name)
    .replace(SPELLED_LETTER, (letter) => SPELLED[letter] ?? letter)
    .replace(SPELLED_MARK, (vowels) => vowels.charAt(0))
}
