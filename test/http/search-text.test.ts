import { beforeAll, describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { searcher } from '../support/search.ts'

const h = shared()
const { newOperator, newAgent } = h
const { search, found } = searcher(h)

describe('a search text', () => {
  // Typo tolerance applies to names, so words for the exact search are in the description.
  let words: [string, string, string] = ['', '', '']
  let spelled = ''
  let operator: Operator
  let agent: Body
  beforeAll(async () => {
    words = [freshWord(), freshWord(), freshWord()]
    spelled = freshWord()
    operator = await newOperator()
    agent = await newAgent(operator, {
      name: spelled,
      description: `${words[0]} ${words[1]}; and ${words[2]}`,
    })
  })
  it('is matched word by word, with prefixes, phrases, exclusions, "or", and typos in names', async () => {
    const [a, b, c] = words
    const none = freshWord()
    const typo = `${spelled.slice(0, 6)}${spelled.slice(7)}`
    const swapped = spelled.slice(0, 6) + spelled.charAt(7) + spelled.charAt(6) + spelled.slice(8)
    const rows: [q: string, finds: boolean][] = [
      [`${c} ${a}`, true],
      [`${a.toUpperCase()} ${b}`, true],
      [`${spelled} ${c}`, true],
      [`${a} ${none}`, false],
      [`${a} ${b.slice(0, 4)}`, true], // only the last word may be a prefix
      [a.slice(0, 5), true],
      [`${a.slice(0, 5)} ${b}`, false],
      [`${a} ${b.slice(1)}`, false],
      [`"${a} ${b}"`, true],
      [`"${b} ${a}"`, false],
      [`${c} "${a} ${b}"`, true],
      [`${b} "${a.slice(0, 6)}"`, false],
      [`"${spelled}"`, true],
      [`"${spelled.slice(0, -1)}"`, false],
      [`${a} -${none}`, true],
      [`${a} -${b}`, false],
      [`${a} -"${a} ${b}"`, false],
      [`${a} -${b.slice(0, 4)}`, true],
      [`${spelled} -${a}`, false],
      [`${a} - ${b}`, true],
      [`${none} or ${b}`, true],
      [`${none} or ${b.slice(0, 6)}`, true],
      [swapped, true],
      [typo, true],
    ]
    for (const [q, finds] of rows) expect([q, (await found({ q })).includes(agent.name)]).toEqual([q, finds])
    expect(await found({ q: typo, class: 'A' })).toContain(agent.name)
    expect(await found({ q: typo, class: 'S' })).not.toContain(agent.name)
    const alike = `${spelled.slice(0, -1)}${spelled.endsWith('z') ? 'q' : 'z'}`
    await newAgent(operator, { name: alike })
    expect(await found({ q: alike })).toEqual([alike]) // what matches exactly rules out typos
  })

  it('treats a hyphen as a space, in a text and in a query', async () => {
    const [a, b, c] = words.map(() => freshWord()) as [string, string, string]
    const owner = await newOperator()
    await newAgent(owner, { name: `${a}-${b} ${c}` })
    const names = async (q: string) => found({ q })
    const agent = [`${a}-${b} ${c}`]
    for (const q of [`${a}-${b}`, `${a} ${b}`, `${b} ${a}`, `${a}-${b.slice(0, 4)}`]) {
      expect(await names(q), q).toEqual(agent)
    }
    const other = freshWord()
    await newAgent(owner, { name: `${a} ${other}`, description: `${c} ${a} ${b}` })
    for (const phrase of [`${a}-${b}`, `${a} ${b}`, `${a}\u2010${b}`]) {
      expect((await names(`"${phrase}"`)).sort(), phrase).toEqual([...agent, `${a} ${other}`].sort())
      expect(await names(`"${phrase} ${c}"`), phrase).toEqual(agent)
      expect(await names(`"${c}-${phrase}"`), phrase).toEqual([`${a} ${other}`])
    }
    expect(await names(`"${b}-${a}"`)).toEqual([])
    expect(await names(`${a} -${c}-${a}`)).toEqual(agent)
  })

  it('is found in NFC and NFD', async () => {
    const word = `${freshWord()}ễ`
    const fields = { name: word.normalize('NFD'), specializations: [word] }
    const { name } = await newAgent(await newOperator(), fields)
    for (const form of ['NFC', 'NFD'])
      for (const by of ['q', 'specialization'])
        expect(await found({ [by]: word.normalize(form) })).toEqual([name])
  })

  it('finds an agent by all or part of its number', async () => {
    const { reg } = agent
    const regs = async (q: string) =>
      (await search({ q, per_page: 50 })).body.data.map((item: Body) => item.reg)
    expect(await regs(reg)).toEqual([reg])
    expect(await regs(reg.toLowerCase())).toEqual([reg])
    expect(await regs(` ${reg} `)).toEqual([reg])
    expect(await regs(`"${reg}"`)).toContain(reg)
    for (const digits of [8, 9, 11, 13, 14, 16, 18, 19]) {
      const part = reg.slice(0, digits)
      expect((await regs(part)).every((one: string) => one.startsWith(part))).toBe(true)
    }
    expect(await regs(reg.slice(0, -2))).toContain(reg)
    expect(await regs(`${words[0]} ${reg.slice(14, 18)}`)).toEqual([reg])
    expect(await regs(`${words[0]} ${reg}`)).toEqual([reg])
    expect(await regs(`${words[0]} -${reg}`)).toEqual([])
  })
})

describe('an odd search text', () => {
  // What tsquery, LIKE, SQL, and a careless parser of phrases would trip over.
  const ODD = [
    ...`... ! - -- " "" "- -" ' '' it's \\ \\\\ \\' a\\ % _ * :* a:*B & | <-> (( !!a or é ß İ ı ﬁ 日本語 مرحبا`.split(
      ' ',
    ),
    ...['- -', 'a <2> b', 'a & | b', 'a | (b', 'or or', 'a or', 'and not', "'; drop table agents; --"],
    ...['a 😀', '👩‍👩‍👧‍👦 family', '\u200b', '\u202e', '\t\n', 'http://example.com/a?b=c', 'me@example.com'],
    ...['1e400', '-1', 'REG-', 'REG-2026--1', 'null', '{}', '$1'],
    ...['a', '- ', '" ', 'a or ', 'x ', '-x '].map((part) => part.repeat(200 / part.length)),
  ]

  it('causes no error', async () => {
    const responses = await Promise.all(ODD.map((q) => search({ q })))
    for (const [n, { status, text }] of responses.entries())
      expect([ODD[n], status, text]).toEqual([ODD[n], 200, text])
  })

  it('of only punctuation finds nothing, % and _ are no wildcards, and characters are counted, not bytes', async () => {
    for (const q of ['...', '!?', '""', '&|', '- -']) expect(await found({ q }), q).toEqual([])
    const word = freshWord()
    await newAgent(await newOperator(), { name: 'Wild', description: word })
    for (const q of [`%${word.slice(3)}`, `_${word.slice(1)}`, `${word.slice(0, 5)}%${word.slice(9)}`])
      expect(await found({ q }), q).not.toContain('Wild')
    expect(await found({ q: word })).toEqual(['Wild'])
    expect((await search({ q: '😀'.repeat(200) })).status).toBe(200)
    expect((await search({ q: '😀'.repeat(201) })).status).toBe(400)
  })
})
