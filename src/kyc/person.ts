import { fromBase64, hmacSha256, toBase64 } from '../lib/crypto.ts'

/** The person that a document names, as read by the provider; never stored. */
export interface Person {
  first_name: string | null
  last_name: string | null
  /** `YYYY-MM-DD`; null if the document does not state it. */
  birth_date: string | null
}

const DASH = /\p{Pd}/gu
/** Spacing accents, as in O´Brien: NFKD would turn them into a space. */
const LONE_ACCENT = /\p{Sk}/gu
/** Accents, and the points of Hebrew and Arabic. Other vowel signs and the voicing marks of kana are part of a name. */
const ACCENT = /(?![\u3099\u309a])(?=[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}])\p{M}/gu
/** Punctuation, symbols, invisible characters, and the modifier letters that are used as apostrophes. */
const REMOVED = /[\p{P}\p{S}\p{Cf}\u02b9-\u02ff]/gu

/** Letters that do not decompose, transcribed as in the machine-readable zone of a passport. */
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
/** Transcriptions of vowels with marks in the machine-readable zone: MUELLER for Müller; elsewhere it becomes MULLER. */
const SPELLED_MARK = /a[ae]+|[ou]e+/g

/**
 * Normalizes a name for comparison: NFKD, without accents and punctuation, case folded, runs of whitespace as one space. A
 * dash counts as a space, as in the machine-readable zone of a passport.
 *
 * Source: Unicode Standard Annex 15; ICAO Doc 9303-3, section 4.6.
 */
export function normalizeName(name: string): string {
  return name
    .replace(DASH, ' ')
    .replace(LONE_ACCENT, '')
    .normalize('NFKD')
    .toUpperCase() // upper, then lower case: makes ß equal to SS, and ı to I
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll('ς', 'σ')
    .replace(ACCENT, '')
    .replace(REMOVED, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** ISO 15924 codes of the scripts in which names can be verified. */
const SCRIPTS =
  'Arab Armn Beng Bopo Cans Cher Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira Kana Khmr Knda Laoo Latn Mlym Mong Mymr Nkoo Orya Sinh Syrc Taml Telu Tfng Thaa Thai Tibt'
const PUNCTUATION = " .'\u2018\u2019\u02bb\u02bc\u00b4`\\-\u058a\u05be\u2010\u2011"

/**
 * Whether a name has only letters and marks of the document's scripts, spaces, apostrophes, hyphens, and full stops.
 * Judged before the comparison, which ignores symbols: a verified name is shown as it was typed.
 */
function isSpelled(name: string, document: string): boolean {
  const written = SCRIPTS.split(' ').filter((script) =>
    new RegExp(`(?=\\p{L})\\p{sc=${script}}`, 'u').test(document),
  )
  const scripts = written.map((script) => `\\p{scx=${script}}`).join('')
  const letter = `(?=\\p{L})[${scripts}]`
  const mark = `(?!\\p{Default_Ignorable_Code_Point})(?=[\\p{Mn}\\p{Mc}])[${scripts}\\p{sc=Zinh}]`
  const typed = name.normalize('NFC')
  const letters = typed.replace(/[^\p{L}\p{M}]/gu, '')
  return (
    new RegExp(`^(?:${letter}|${mark}|[${PUNCTUATION}])*$`, 'u').test(typed) &&
    letters === letters.normalize('NFKC') && // no superscript, full-width, or joined letters
    !/[^\p{L}\p{M}\s]{2}/u.test(typed) &&
    !/\p{M}{3}/u.test(typed.normalize('NFD'))
  )
}

/** Whether a document shows this name: its complete first and last name, in either order, and no symbols. */
export function bearsName({ first_name, last_name }: Person, name: string): boolean {
  if (!isSpelled(name, `${first_name ?? ''} ${last_name ?? ''}`)) return false
  const [first, last] = [normalizeName(first_name ?? ''), normalizeName(last_name ?? '')]
  const wanted = normalizeName(name)
  return wanted !== '' && [`${first} ${last}`.trim(), `${last} ${first}`.trim()].includes(wanted)
}

/**
 * A keyed hash of a person, by which two checks of the same person are recognized: HMAC-SHA-256 of date of birth, last
 * name, and first given name, in base64. A single name counts as the last name, wherever the document puts it.
 *
 * @param identityKey IDENTITY_KEY: 32 bytes in base64
 * @returns null if the document lacks the date of birth or a name
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

/** Reduces a normalized name to a spelling that all documents of a person share; different names can become equal. */
function transcribe(name: string): string {
  return normalizeName(name)
    .replace(SPELLED_LETTER, (letter) => SPELLED[letter] ?? letter)
    .replace(SPELLED_MARK, (vowels) => vowels.charAt(0))
}
