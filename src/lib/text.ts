/** Whether Postgres can store a text: it contains no NUL and no unpaired surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The length of a text in code points. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const MARKS_MAX = 4 // per letter: Unicode TS 39, section 5.4
const QUOTED_MAX = 50

// Three flags are tag sequences; their tags spell gbeng, gbsct, and gbwls: Unicode TS 51, annex B.
const FLAG =
  '\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}'
const PICTURE = '(?!\\p{Cn})\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\uFE0E\uFE0F])?'
// A joiner follows a picture in color, and joins no sign in the style of text such as ©.
const COLORED = `(?=\\p{Emoji_Presentation}|\\p{Emoji_Modifier_Base}|.\uFE0F)${PICTURE}`
const JOINED = `(?![©®™])${PICTURE}`
const EMOJI = `${FLAG}|[0-9#*]\uFE0F\u20E3|${COLORED}(?:\u200D${JOINED})*|${PICTURE}`

const VISIBLE_ASCII = /^ *[!-~][ -~]*$/
// These look blank but are neither whitespace nor ignorable: a braille cell, an object placeholder, two hieroglyphs, a
// filler of Khitan, and a note head.
const BLANK = '\\u2800\\uFFFC\\u{13441}\\u{13442}\\u{16FE4}\\u{1D159}'
// Spaces that are too narrow to separate words.
const NARROW = '\\u2006\\u2008-\\u200A\\u202F\\u205F'
const IGNORED = '\\p{C}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}'
const LINE_ENDS = /\r\n|[\u2028\u2029]/g
const SPACES = /\p{Zs}+/gu

/** Alphabets with letters that look alike. Other scripts may adjoin their words without a space, as in Japanese. */
const ALPHABETS = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu']
const ofAlphabet = (name: string) => `\\p{Script=${name}}`

// Compiled on first use: the Unicode classes take milliseconds, and most texts are ASCII.
const compile = () => ({
  // Whether a character is assigned depends on the engine's version of Unicode.
  unseen: new RegExp(`([${IGNORED}${BLANK}])`, 'gu'),
  unseenInLine: new RegExp(`${EMOJI}|([${IGNORED}${BLANK}])`, 'gu'),
  unseenInText: new RegExp(`${EMOJI}|([${IGNORED}])`, 'gu'),
  visible: new RegExp(`(?![${BLANK}])[\\p{L}\\p{N}\\p{P}\\p{S}]`, 'u'),
  marks: new RegExp(`^\\p{M}|[\\p{Mn}\\p{Me}]{${MARKS_MAX + 1}}`, 'u'),
  word: new RegExp(
    `(?:[${ALPHABETS.map(ofAlphabet).join('')}\\p{M}\\p{N}${NARROW}]|(?=\\p{L})\\p{Script=Common})+`,
    'gu',
  ),
  alphabets: ALPHABETS.map((name) => ({ name, letter: new RegExp(ofAlphabet(name), 'u') })),
})
let compiled: ReturnType<typeof compile> | undefined

function patterns() {
  compiled ??= compile()
  return compiled
}

/** A text as it is stored and searched: in NFC, with LF as line ending. */
export function normalized(text: string): string {
  return text.replace(LINE_ENDS, '\n').normalize('NFC')
}

/** A name as it is stored: trimmed, and with single spaces. The rest of `normalized` follows its check. */
export function withSingleSpaces(text: string): string {
  return text.replace(SPACES, ' ').replace(/^ | $/g, '')
}

/**
 * Why a text for people is rejected; null if it may be shown. The length is not checked.
 *
 * Rejects invisible characters (except joiners and selectors inside an emoji), private-use and unassigned characters,
 * texts without a visible character, too many marks on a letter, and words that mix alphabets with similar letters.
 *
 * @param text in NFC or as it was submitted; reported positions count code points from 1
 * @param options `lines`: line feeds and tabs are allowed
 *
 * Source: Unicode TS 39, sections 5.1 and 5.4; Unicode TS 51, section 1.4.9.
 */
export function textProblem(text: string, { lines = false } = {}): string | null {
  const line = lines ? text.replaceAll(/\r\n|[\n\t\u2028\u2029]/g, (end) => ' '.repeat(end.length)) : text
  if (line.trim() === '') return 'must not be empty'
  if (VISIBLE_ASCII.test(line)) return null
  const { unseenInLine, unseenInText, visible } = patterns()
  const unseen = unseenProblem(line, lines ? unseenInText : unseenInLine)
  if (unseen) return unseen
  return visible.test(line) ? (marksProblem(line) ?? mixProblem(line)) : 'must contain a visible character'
}

/** Why a text for programs is rejected: it is empty, has an invisible character, or whitespace at an end; else null. */
export function tokenProblem(text: string): string | null {
  const unseen = VISIBLE_ASCII.test(text) ? null : unseenProblem(text, patterns().unseen)
  if (unseen) return unseen
  if (text === '') return 'must not be empty'
  const space = /^\s|\s$/u.exec(text)
  return space && `must not start or end with whitespace: ${characterAt(text, space.index)}`
}

/**
 * Makes a text from another service fit to be shown: in NFC, trimmed, and cut to `max` code points.
 *
 * @returns null if it is not a text or `textProblem` rejects it
 */
export function toShown(value: unknown, max: number, options?: { lines?: boolean }): string | null {
  if (typeof value !== 'string') return null
  const text = options?.lines ? value.trim() : withSingleSpaces(value.trim())
  if (textProblem(text, options)) return null
  const cut = [...normalized(text)].slice(0, max).join('')
  return textProblem(cut, options) ? null : cut
}

/** @param pattern its first group is the rejected character; a match without the group is allowed */
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
      return `must not mix ${mixed.join(' and ')} letters in one word: '${quoted}' at character ${positionOf(text, index)}`
    }
  }
  return null
}

function characterAt(text: string, index: number): string {
  const code = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} at character ${positionOf(text, index)}`
}

function positionOf(text: string, index: number): number {
  return codePoints(text.slice(0, index)) + 1
}
