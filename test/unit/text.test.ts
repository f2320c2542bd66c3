import { describe, expect, it } from 'vitest'
import { textProblem, tokenProblem, toShown } from '../../src/lib/text.ts'

const lines = { lines: true }

describe('a text for people', () => {
  it.each([
    'Acme 2 (beta), 50 % — “quoted”',
    'Nguyễn',
    'Nguyễn'.normalize('NFD'),
    'שָׁלוֹם',
    'יְרוּשָׁלִַ֗ם',
    'ผู้ช่วยใช้AIแปล',
    'हिन्दी में सहायक',
    'Pythonとαテスト',
    'АИ日本',
    'a\u3000b\u00a0c',
    '10 µm, 5 °C, № 3, ½',
    'TGF-β, IFN γ, α-helix',
    'Google’а',
    '👩‍👩‍👧‍👦 family',
    '👁️‍🗨️ 🧑‍⚕ 🕵‍♂ ⛹🏽‍♀️ 👩‍❤️‍👨',
    '10\u202f000 €, 5\u2009кВт, AI\u2009—\u2009АИ',
    '👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 🕵️‍♂️ ☎︎ 1️⃣ ™️',
    '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿',
    '.',
  ])('may be %j', (text) => {
    expect(textProblem(text)).toBeNull()
    expect(textProblem(text, lines)).toBeNull()
    expect(textProblem(text.normalize('NFC'))).toBeNull()
  })

  it.each([
    ['a right-to-left override', 'ab\u202etxt', 'U+202E at character 3'],
    ['an isolate', '\u2067a\u2069', 'U+2067 at character 1'],
    ['a zero-width space', 'a\u200bb', 'U+200B at character 2'],
    ['a byte order mark', '\ufeffa', 'U+FEFF at character 1'],
    ['a bell, after an emoji of two units', '😀\u0007', 'U+0007 at character 2'],
    ['NUL', 'a\0', 'U+0000 at character 2'],
    ['a line separator', 'a\u2028b', 'U+2028 at character 2'],
    ['a joiner between letters', 'a\u200db', 'U+200D at character 2'],
    ['a joiner between text symbols', '©\u200d®', 'U+200D at character 2'],
    ['a joiner between an emoji and a text symbol', '👩\u200d©', 'U+200D at character 2'],
    ['a selector on a digit', '1\ufe0f', 'U+FE0F at character 2'],
    ['two selectors', '❤\ufe0f\ufe0f', 'U+FE0F at character 3'],
    ['a tag', 'a\u{e0041}', 'U+E0041 at character 2'],
    ['tags that form no flag', '🏴\u{e0067}\u{e0062}\u{e007f}', 'U+E0067 at character 2'],
    ['a Hangul filler', 'a\u3164', 'U+3164 at character 2'],
    ['a grapheme joiner', 'a\u034f', 'U+034F at character 2'],
    ['an empty braille cell', 'a\u2800b', 'U+2800 at character 2'],
    ['an object placeholder', 'a\ufffc', 'U+FFFC at character 2'],
    ['a blank filler of Khitan', 'a\u{16fe4}', 'U+16FE4 at character 2'],
    ['a blank hieroglyph', 'a\u{13441}', 'U+13441 at character 2'],
    ['an ideographic selector', '葛\u{e0100}', 'U+E0100 at character 2'],
  ])('must not contain an invisible character: %s', (_, text, place) => {
    expect(textProblem(text)).toBe(`must not contain control or invisible characters: ${place}`)
  })

  it.each([
    ['\ue000', 'U+E000'],
    ['\u0378', 'U+0378'],
    ['\uffff', 'U+FFFF'],
    ['\u{1faff}', 'U+1FAFF'], // reserved for a future emoji
  ])('must not contain a private-use or unassigned character: %j', (text, code) => {
    expect(textProblem(`a ${text}`)).toBe(
      `must not contain private-use or unassigned characters: ${code} at character 3`,
    )
  })

  it.each(['\ud800', 'a\udfff'])('must not contain an unpaired surrogate: %j', (text) => {
    expect(textProblem(text)).toMatch(/^must not contain an unpaired surrogate: U\+D[8F]/)
  })

  it.each(['\u2800', '\ufffc', '\u{13441}\u{1d159}', '\u0301', '\u2800 \u00a0'])(
    'must have something visible, unlike %j',
    (text) => expect(textProblem(text)).toMatch(/visible/),
  )

  it.each(['', ' ', '\u3000\u00a0'])('must not be empty or blank: %j', (text) =>
    expect(textProblem(text)).toBe('must not be empty'),
  )

  it.each([
    ['pаypal', 'Latin and Cyrillic', 'pаypal', 1],
    ['the Gооgle bot', 'Latin and Cyrillic', 'Gооgle', 5],
    ['Ωmega', 'Latin and Greek', 'Ωmega', 1],
    ['ΑВС', 'Greek and Cyrillic', 'ΑВС', 1],
    ['ᎪNN', 'Latin and Cherokee', 'ᎪNN', 1],
    ['テストpаy', 'Latin and Cyrillic', 'pаy', 4],
    ['p\u2009а\u200ay', 'Latin and Cyrillic', 'p\u2009а\u200ay', 1],
    ['p\u0301а', 'Latin and Cyrillic', 'p\u0301а', 1],
  ])('must not mix similar alphabets in a word: %s', (text, alphabets, word, place) => {
    expect(textProblem(text)).toBe(
      `must not mix ${alphabets} letters in one word: '${word}' at character ${place}`,
    )
  })

  it('may have at most four combining marks on a letter in NFC, and none at the start', () => {
    expect(textProblem(`e${'\u0301'.repeat(5)}`)).toBeNull() // é with four
    expect(textProblem(`ze${'\u0301'.repeat(6)}`)).toMatch(
      /^at most 4 combining marks .*U\+0301 at character 3$/,
    )
    expect(textProblem('\u0301a')).toMatch(/none at the start: U\+0301 at character 1$/)
  })

  it('may contain only line feeds and tabs as control characters, if it may have lines', () => {
    expect(textProblem('a\n\tb\r\nc', lines)).toBeNull()
    expect(textProblem('a\u2028b\u2029c', lines)).toBeNull()
    expect(textProblem('a\nb')).toMatch(/U\+000A at character 2/)
    expect(textProblem('a\r\nb\rc', lines)).toMatch(/U\+000D at character 5/)
    expect(textProblem('\n\t', lines)).toBe('must not be empty')
  })
})

describe('a token for programs', () => {
  it.each(['task_completed', 'a b', 'задача', 'pаypal', '完了', 'a'])('may be %j', (text) => {
    expect(tokenProblem(text)).toBeNull()
  })

  it.each([
    ['', 'must not be empty'],
    [' a', 'must not start or end with whitespace: U+0020 at character 1'],
    ['a\u3000', 'must not start or end with whitespace: U+3000 at character 2'],
    ['😀\u00a0', 'must not start or end with whitespace: U+00A0 at character 2'],
    ['a\n', 'must not contain control or invisible characters: U+000A at character 2'],
    ['a\u200bb', 'must not contain control or invisible characters: U+200B at character 2'],
    ['a\ud800', 'must not contain an unpaired surrogate: U+D800 at character 2'],
  ])('cannot be %j', (text, problem) => expect(tokenProblem(text)).toBe(problem))
})

describe('a text from another service', () => {
  it('is shown trimmed, in NFC, and shortened', () => {
    expect(toShown(' Nguyễn\n'.normalize('NFD'), 6)).toBe('Nguyễn')
    expect(toShown('😀😀😀', 2)).toBe('😀😀')
    expect(toShown('a\r\nb\u2028  c', 9, lines)).toBe('a\nb\n  c')
    expect(toShown('a \u00a0b', 9)).toBe('a b')
  })

  it.each([1, null, {}, '', '  ', 'a\u202e', 'pаypal', 'a\nb', '\u2800'])(
    'is not shown when it is %j',
    (value) => {
      expect(toShown(value, 10)).toBeNull()
    },
  )
})
