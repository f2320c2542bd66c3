/** Whether Postgres can store a text: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The length of a text in code points. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const MARKS_MAX = 4 // on one letter: Unicode TS 39, section 5.4
const QUOTED_MAX = 50

// The tags of the three flags that are tag sequences spell gbeng, gbsct and gbwls: Unicode TS 51, annex B.
const FLAG =
  '\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}'
const PICTURE = '(?!\\p{Cn})\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\uFE0E\uFE0F])?'
const EMOJI = `${FLAG}|[0-9#*]\uFE0F\u20E3|${PICTURE}(?:\u200D${PICTURE})*`

const VISIBLE_ASCII = /^ *[!-~][ -~]*$/
const UNSEEN = '([\\p{C}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}])'

/** Alphabets whose letters look alike. Other scripts stand next to and between their words, with no space, as in Japanese. */
const ALPHABETS = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu']
const ofAlphabet = (name: string) => `\\p{Script=${name}}`

// Made when first needed: the classes take milliseconds, and most texts are ASCII.
const patterns = once(() => ({
  // Unassigned is what the engine's version of Unicode does not know.
  unseen: new RegExp(UNSEEN, 'gu'),
  unseenOutsideEmoji: new RegExp(`${EMOJI}|${UNSEEN}`, 'gu'),
  // Blank, but neither white space nor ignorable: a braille cell, an object's place, two hieroglyphs, a note head.
  visible: /(?![\u2800\uFFFC\u{13441}\u{13442}\u{1D159}])[\p{L}\p{N}\p{P}\p{S}]/u,
  marks: new RegExp(`^\\p{M}|[\\p{Mn}\\p{Me}]{${MARKS_MAX + 1}}`, 'u'),
  word: new RegExp(
    `(?:[${ALPHABETS.map(ofAlphabet).join('')}\\p{M}\\p{N}]|(?=\\p{L})\\p{Script=Common})+`,
    'gu',
  ),
  alphabets: ALPHABETS.map((name) => ({ name, letter: new RegExp(ofAlphabet(name), 'u') })),
}))

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** A text as it is stored and searched for: in NFC, its lines ended by LF. */
export function normalized(text: string): string {
  return text.replaceAll('\r\n', '\n').normalize('NFC')
}

/**
 * Why a text that people read is rejected; null when it may be shown. Its length is not judged.
 *
 * Rejected are characters that nobody sees, but for joiners and selectors inside an emoji; private and unassigned ones;
 * a text of nothing visible; more marks on a letter than writing needs; a word of several alphabets that look alike.
 *
 * @param text in NFC, or as it was given: the places that are reported count code points from 1
 * @param options `lines`: it may hold line feeds and tabs
 *
 * Source: Unicode TS 39, sections 5.1 and 5.4; Unicode TS 51, section 1.4.9.
 */
export function textProblem(text: string, { lines = false } = {}): string | null {
  const line = lines ? text.replaceAll(/\r\n|[\n\t]/g, (end) => ' '.repeat(end.length)) : text
  if (line.trim() === '') return 'must not be empty'
  if (VISIBLE_ASCII.test(line)) return null
  const { unseenOutsideEmoji, visible } = patterns()
  const unseen = unseenProblem(line, unseenOutsideEmoji)
  if (unseen) return unseen
  return visible.test(line) ? (marksProblem(line) ?? mixProblem(line)) : 'must contain a visible character'
}

/** Why a word for programs is rejected: a character that nobody sees, or white space at an end. */
export function tokenProblem(text: string): string | null {
  const unseen = VISIBLE_ASCII.test(text) ? null : unseenProblem(text, patterns().unseen)
  if (unseen) return unseen
  if (text === '') return 'must not be empty'
  const space = /^\s|\s$/u.exec(text)
  return space && `must not start or end with whitespace: ${characterAt(text, space.index)}`
}

/**
 * A text from elsewhere, ready to be shown: in NFC, trimmed, and cut after so many code points.
 *
 * @returns null when it is none, or breaks the rules
 */
export function toShown(value: unknown, max: number, options?: { lines?: boolean }): string | null {
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (textProblem(text, options)) return null
  const cut = [...normalized(text)].slice(0, max).join('')
  return textProblem(cut, options) ? null : cut
}

/** @param pattern what is rejected is its group; what it matches besides is not */
function unseenProblem(text: string, pattern: RegExp): string | null {
  for (const { 1: character, index } of text.matchAll(pattern)) {
    if (character !== undefined) return `${whyRejected(character)}: ${characterAt(text, index)}`
  }
  return null
}

function whyRejected(character: string): string {
  if (/\p{Cs}/u.test(character)) return 'must not contain an unpaired surrogate'
  if (/\p{Co}|\p{Cn}/u.test(character)) return 'must not contain private-use or unassigned characters'
  return 'must not contain control or invisible characters'
}

function marksProblem(text: string): string | null {
  const marks = patterns().marks.exec(text.normalize('NFC'))
  return (
    marks &&
    `at most ${MARKS_MAX} combining marks on one letter, and none at the start: ${characterAt(marks.input, marks.index)}`
  )
}

function mixProblem(text: string): string | null {
  const { word: words, alphabets } = patterns()
  for (const { 0: word, index } of text.matchAll(words)) {
    const mixed = alphabets.filter(({ letter }) => letter.test(word)).map(({ name }) => name)
    if (mixed.length > 1) {
      const quoted = [...word].slice(0, QUOTED_MAX).join('')
      return `must not mix ${mixed.join(' and ')} letters in one word: '${quoted}' at character ${placeOf(text, index)}`
    }
  }
  return null
}

/** A character and its place, as a rejection names them. */
function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} at character ${placeOf(text, index)}`
}

function placeOf(text: string, index: number): number {
  return codePoints(text.slice(0, index)) + 1
}
