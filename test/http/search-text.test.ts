import { beforeAll, describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { searcher } from '../support/search.ts'
import { seeded } from '../vectors/rollups.ts'

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
  const finds = async (q: string) => (await found({ q })).includes(agent.name)

  it('matches if every word matches, in any order and case', async () => {
    const [a, b, c] = words
    expect(await finds(`${c} ${a}`)).toBe(true)
    expect(await finds(`${a.toUpperCase()} ${b}`)).toBe(true)
    expect(await finds(`${spelled} ${c}`)).toBe(true)
    expect(await finds(`${a} ${freshWord()}`)).toBe(false)
  })

  it('matches only its last word as a prefix', async () => {
    const [a, b] = words
    expect(await finds(`${a} ${b.slice(0, 4)}`)).toBe(true)
    expect(await finds(a.slice(0, 5))).toBe(true)
    expect(await finds(`${a.slice(0, 5)} ${b}`)).toBe(false)
    expect(await finds(`${a} ${b.slice(1)}`)).toBe(false)
  })

  it('matches quoted words as whole, adjacent words', async () => {
    const [a, b, c] = words
    expect(await finds(`"${a} ${b}"`)).toBe(true)
    expect(await finds(`"${b} ${a}"`)).toBe(false)
    expect(await finds(`${c} "${a} ${b}"`)).toBe(true)
    expect(await finds(`${b} "${a.slice(0, 6)}"`)).toBe(false)
    expect(await finds(`"${spelled}"`)).toBe(true)
    expect(await finds(`"${spelled.slice(0, -1)}"`)).toBe(false)
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

  it('excludes agents that match an excluded word', async () => {
    const [a, b] = words
    expect(await finds(`${a} -${freshWord()}`)).toBe(true)
    expect(await finds(`${a} -${b}`)).toBe(false)
    expect(await finds(`${a} -"${a} ${b}"`)).toBe(false)
    expect(await finds(`${a} -${b.slice(0, 4)}`)).toBe(true)
    expect(await finds(`${spelled} -${a}`)).toBe(false)
    expect(await finds(`${a} - ${b}`)).toBe(true)
  })

  it('matches either side of an "or"', async () => {
    expect(await finds(`${freshWord()} or ${words[1]}`)).toBe(true)
    expect(await finds(`${freshWord()} or ${words[1].slice(0, 6)}`)).toBe(true)
  })

  it('finds a name despite a typo if nothing else matches', async () => {
    const swapped = spelled.slice(0, 6) + spelled.charAt(7) + spelled.charAt(6) + spelled.slice(8)
    expect(await finds(swapped)).toBe(true)
    expect(await finds(`${spelled.slice(0, 6)}${spelled.slice(7)}`)).toBe(true)
  })

  it('does not tolerate typos if anything matches exactly', async () => {
    const alike = `${spelled.slice(0, -1)}${spelled.endsWith('z') ? 'q' : 'z'}`
    await newAgent(operator, { name: alike })
    expect(await found({ q: alike })).toEqual([alike])
  })

  it('tolerates typos also with filters', async () => {
    const typo = `${spelled.slice(0, 6)}${spelled.slice(7)}`
    expect(await found({ q: typo, class: 'A' })).toContain(agent.name)
    expect(await found({ q: typo, class: 'S' })).not.toContain(agent.name)
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
    for (const q of ODD) {
      const { status, text } = await search({ q })
      expect([q, status, text]).toEqual([q, 200, text])
    }
  })

  it('of only punctuation finds nothing', async () => {
    for (const q of ['...', '!?', '""', '&|', '- -']) {
      expect((await search({ q })).body.pagination.total, q).toBe(0)
    }
  })

  it('does not treat % and _ as wildcards', async () => {
    const word = freshWord()
    await newAgent(await newOperator(), { name: 'Wild', description: word })
    for (const q of [`%${word.slice(3)}`, `_${word.slice(1)}`, `${word.slice(0, 5)}%${word.slice(9)}`]) {
      expect(await found({ q }), q).not.toContain('Wild')
    }
    expect(await found({ q: word })).toEqual(['Wild'])
  })

  it('is limited in characters, not bytes', async () => {
    expect((await search({ q: '😀'.repeat(200) })).status).toBe(200)
    expect((await search({ q: '😀'.repeat(201) })).status).toBe(400)
  })

  it('generated at random never causes a 5xx status', async () => {
    const random = seeded(20261121)
    const pieces = [...`"'\\-:*&|!()<>%_,.;@#/\u0001é😀 \t  `, ...`or and a bc 12 -3 x-y 's`.split(' ')]
    for (let n = 0; n < 120; n++) {
      const q = Array.from(
        { length: 1 + Math.floor(random() * 14) },
        () => pieces[Math.floor(random() * pieces.length)],
      ).join('')
      const response = await search({ q })
      expect(response.status, `${JSON.stringify(q)} ${response.text}`).toBeLessThan(401)
    }
  })
})
