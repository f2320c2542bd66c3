import { beforeAll, describe, expect, it } from 'vitest'
import { AS_SNAPSHOT, freshWord } from '../support/fill.ts'
import { type Body, expectError, freshSlug, type Operator, shared } from '../support/harness.ts'
import { seeded } from '../vectors/rollups.ts'

const { api, sql, newOperator, newAgent, newPlatform, report, newKey } = shared()

const SEARCH_DEPTH = 10_000

const search = (query: Record<string, string | number>, headers = {}) =>
  api('GET', `/agents/search?${new URLSearchParams(query as Record<string, string>)}`, { headers })

async function found(query: Record<string, string | number>): Promise<string[]> {
  const { status, body } = await search(query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.map((item: Body) => item.name)
}

/** Sets what the last snapshot would have stored. */
const setScore = (agent: Body, score: number | null) =>
  sql(`${AS_SNAPSHOT} where agent_id = $1`, [agent.id, score])

describe('an item', () => {
  it('holds seven fields and no more [2.3j]', async () => {
    const word = freshWord()
    const operator = await newOperator()
    const agent = await newAgent(operator, { name: word, class: 'H', description: 'private to the profile' })
    const fresh = {
      reg: agent.reg,
      name: word,
      class: 'H',
      status: 'active',
      trust_score_overall: null,
      tasks_completed: 0,
      operator_name: (await api('GET', '/operators/me', { token: operator.token })).body.name,
    }
    const { body } = await search({ q: word })
    expect(body).toEqual({
      data: [fresh],
      pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
    })
    const { key } = await newKey(operator)
    await report(key, agent.reg)
    await setScore(agent, 87)
    expect((await search({ q: word })).body.data).toEqual([
      { ...fresh, tasks_completed: 1, trust_score_overall: '87.0' },
    ])
  })

  it('follows a change of its agent at once', async () => {
    const [before, after] = [freshWord(), freshWord()]
    const operator = await newOperator()
    const { reg } = await newAgent(operator, { name: before })
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: after } })
    expect(await found({ q: before })).toEqual([])
    expect(await found({ q: after })).toEqual([after])
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' } })
    expect((await search({ q: after })).body.data).toMatchObject([{ reg, status: 'deactivated' }])
  })
})

describe('the order', () => {
  it('is by where the word stands: name, then specialization, then description', async () => {
    const word = freshWord()
    const operator = await newOperator()
    const [inDescription, inTags, inName] = [
      await newAgent(operator, { name: 'Describer', description: word }),
      await newAgent(operator, { name: 'Tagger', specializations: [word] }),
      await newAgent(operator, { name: word }),
    ]
    await setScore(inDescription, 99)
    await setScore(inTags, 98)
    await setScore(inName, 1)
    expect(await found({ q: word })).toEqual([word, 'Tagger', 'Describer'])
  })

  it('is by trust among equals, without a score last, then the newest first', async () => {
    const word = freshWord()
    const operator = await newOperator({ tier: 'pro' })
    const agents: Body[] = []
    for (const name of ['older', 'newer', 'low', 'high', 'unscored']) {
      agents.push(await newAgent(operator, { name, description: word, specializations: [word] }))
    }
    for (const [n, score] of [50, 50, 49.9, 50.1].entries()) await setScore(agents[n], score)
    const expected = ['high', 'newer', 'older', 'low', 'unscored']
    expect(await found({ q: word })).toEqual(expected)
    expect(await found({ specialization: word })).toEqual(expected)
  })
})

describe('a text', () => {
  // Typo help looks at names: what only the exact search shall find stands in the description.
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

  it('matches when every word does, in any order and any case [4.2m]', async () => {
    const [a, b, c] = words
    expect(await finds(`${c} ${a}`)).toBe(true)
    expect(await finds(`${a.toUpperCase()} ${b}`)).toBe(true)
    expect(await finds(`${spelled} ${c}`)).toBe(true)
    expect(await finds(`${a} ${freshWord()}`)).toBe(false)
  })

  it('takes its last word as the beginning of one, and only the last', async () => {
    const [a, b] = words
    expect(await finds(`${a} ${b.slice(0, 4)}`)).toBe(true)
    expect(await finds(a.slice(0, 5))).toBe(true)
    expect(await finds(`${a.slice(0, 5)} ${b}`)).toBe(false)
    expect(await finds(`${a} ${b.slice(1)}`)).toBe(false)
  })

  it('matches quoted words as they stand, whole and side by side', async () => {
    const [a, b, c] = words
    expect(await finds(`"${a} ${b}"`)).toBe(true)
    expect(await finds(`"${b} ${a}"`)).toBe(false)
    expect(await finds(`${c} "${a} ${b}"`)).toBe(true)
    expect(await finds(`${b} "${a.slice(0, 6)}"`)).toBe(false)
    expect(await finds(`"${spelled}"`)).toBe(true)
    expect(await finds(`"${spelled.slice(0, -1)}"`)).toBe(false)
  })

  it('leaves out what an excluded word matches', async () => {
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

  it('finds a name with a typo when nothing else matches', async () => {
    const swapped = spelled.slice(0, 6) + spelled.charAt(7) + spelled.charAt(6) + spelled.slice(8)
    expect(await finds(swapped)).toBe(true)
    expect(await finds(`${spelled.slice(0, 6)}${spelled.slice(7)}`)).toBe(true)
  })

  it('finds no name with a typo while anything matches', async () => {
    const alike = `${spelled.slice(0, -1)}${spelled.endsWith('z') ? 'q' : 'z'}`
    await newAgent(operator, { name: alike })
    expect(await found({ q: alike })).toEqual([alike])
  })

  it('gives typo help within the filters too', async () => {
    const typo = `${spelled.slice(0, 6)}${spelled.slice(7)}`
    expect(await found({ q: typo, class: 'A' })).toContain(agent.name)
    expect(await found({ q: typo, class: 'S' })).not.toContain(agent.name)
  })

  it('finds an agent by its number, whole or in part', async () => {
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

describe('a filter', () => {
  const tag = freshWord()
  let slug: string
  const names = (...wanted: string[]) => [...wanted].sort()
  const filtered = async (query: object) => (await found({ specialization: tag, ...query })).sort()

  beforeAll(async () => {
    const operator = await newOperator({ tier: 'pro' })
    slug = (await newPlatform(operator)).slug
    const make = (name: string, fields: object) =>
      newAgent(operator, { name, specializations: ['other', tag], ...fields })
    const [a, s, h, off] = [
      await make('aa', { class: 'A', platform_slug: slug }),
      await make('ss', { class: 'S', platform_slug: slug }),
      await make('hh', { class: 'H' }),
      await make('off', { class: 'A' }),
    ]
    await newAgent(operator, { name: 'untagged', specializations: [`${tag}s`] })
    await setScore(a, 80)
    await setScore(s, 60.5)
    await setScore(off, 95)
    await sql(
      "update agents set ownership_status = 'verified', ownership_verified_at = now() where id = $1",
      [h.id],
    )
    await api('PATCH', `/agents/${off.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  })

  it('by specialization takes the whole tag', async () => {
    expect(await filtered({})).toEqual(names('aa', 'ss', 'hh', 'off'))
    expect(await filtered({ specialization: tag.slice(0, 6) })).toEqual([])
  })

  it('by class [4.2n]', async () => {
    expect(await filtered({ class: 'A' })).toEqual(names('aa', 'off'))
    expect(await filtered({ class: 'S' })).toEqual(['ss'])
    expect(await filtered({ class: 'H' })).toEqual(['hh'])
  })

  it('by platform; an unknown one has no agents [4.2o]', async () => {
    expect(await filtered({ platform: slug })).toEqual(names('aa', 'ss'))
    expect((await found({ platform: slug })).sort()).toEqual(names('aa', 'ss'))
    expect(await filtered({ platform: freshSlug() })).toEqual([])
  })

  it('by status; without it both are found [4.2p]', async () => {
    expect(await filtered({ status: 'active' })).toEqual(names('aa', 'ss', 'hh'))
    expect(await filtered({ status: 'deactivated' })).toEqual(['off'])
  })

  it('by least score leaves out agents without one', async () => {
    expect(await filtered({ min_score: 60.5 })).toEqual(names('aa', 'ss', 'off'))
    expect(await filtered({ min_score: '60.6' })).toEqual(names('aa', 'off'))
    expect(await filtered({ min_score: 0 })).toEqual(names('aa', 'ss', 'off'))
    expect(await filtered({ min_score: 100 })).toEqual([])
  })

  it('by ownership', async () => {
    expect(await filtered({ ownership_status: 'verified' })).toEqual(['hh'])
    expect(await filtered({ ownership_status: 'unverified' })).toEqual(names('aa', 'ss', 'off'))
  })

  it('combines with others and with a text', async () => {
    expect(await filtered({ class: 'A', status: 'active' })).toEqual(['aa'])
    expect(await filtered({ platform: slug, min_score: 70 })).toEqual(['aa'])
    expect(await filtered({ q: tag })).toEqual(names('aa', 'ss', 'hh', 'off'))
    const all = {
      q: tag.slice(0, 7),
      class: 'A',
      platform: slug,
      status: 'active',
      min_score: 80,
      ownership_status: 'unverified',
    }
    expect(await filtered(all)).toEqual(['aa'])
    for (const other of [
      { class: 'S' },
      { status: 'deactivated' },
      { min_score: 81 },
      { ownership_status: 'verified' },
    ]) {
      expect(await filtered({ ...all, ...other }), JSON.stringify(other)).toEqual([])
    }
  })

  it.each([
    ['class', 'a'],
    ['class', 'AS'],
    ['status', 'revoked'],
    ['min_score', '-1'],
    ['min_score', '100.1'],
    ['min_score', 'high'],
    ['ownership_status', 'mine'],
    ['platform', ''],
    ['specialization', ''],
    ['page', '0'],
    ['page', '1.5'],
    ['per_page', '0'],
    ['per_page', '51'],
  ])('%s=%s is a 400 that names it', async (name, value) => {
    expectError(await search({ [name]: value }), 400, 'VALIDATION_ERROR', new RegExp(`^${name}: `))
  })
})

describe('pages', () => {
  it('cover everything once, with links that keep the query [4.2r]', async () => {
    const tag = freshWord()
    const operator = await newOperator({ tier: 'pro' })
    for (const n of [1, 2, 3, 4, 5]) {
      await newAgent(operator, { name: `${tag} no ${n}`, specializations: [tag] })
    }
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => search({ specialization: tag, q: tag, per_page: 2, page })),
    )
    const names = pages.map(({ body }) => body.data.map((item: Body) => item.name))
    expect(names.map((list) => list.length)).toEqual([2, 2, 1, 0])
    expect(new Set(names.flat()).size).toBe(5)
    for (const [n, { status, body }] of pages.entries()) {
      expect(status).toBe(200)
      expect(body.pagination).toEqual({ page: n + 1, per_page: 2, total: 5, total_pages: 3 })
    }
    const links = pages.map(({ headers }) =>
      Object.fromEntries(
        [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [
          rel,
          new URL(url ?? '').searchParams.get('page'),
        ]),
      ),
    )
    expect(links).toEqual([
      { next: '2', last: '3' },
      { first: '1', prev: '1', next: '3', last: '3' },
      { first: '1', prev: '2' },
      { first: '1', prev: '3' },
    ])
    const next = /<([^>]+)>; rel="next"/.exec(pages[0]?.headers.get('link') ?? '')?.[1] ?? ''
    const followed = await (await fetch(next, { headers: { 'CF-Connecting-IP': '10.9.8.7' } })).json()
    expect(followed).toEqual(pages[1]?.body)
  })

  it('end at the ten-thousandth result with a clear 400', async () => {
    expect((await search({ q: freshWord(), per_page: 50, page: 200 })).status).toBe(200)
    const refusal = /^page: .*10000.*narrow/
    expectError(await search({ per_page: 50, page: 201 }), 400, 'VALIDATION_ERROR', refusal)
    expectError(await search({ per_page: 1, page: 10_001 }), 400, 'VALIDATION_ERROR', refusal)
    expectError(await search({ page: 999_999_999 }), 400, 'VALIDATION_ERROR', refusal)
  })
})

describe('with 10,050 agents', () => {
  const tag = freshWord()
  const FEW = 52
  beforeAll(async () => {
    const operator = await newOperator()
    await sql(
      `insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
       select gen_random_uuid(), agent_number(1901, 1 + n / 9999, 1 + n % 9999), $1, 'Filler ' || n, $2,
         case when n < $3 then 'H' else 'S' end, array[$2], now() from generate_series(0, $4::integer - 1) n`,
      [operator.id, tag, FEW, SEARCH_DEPTH + 50],
    )
    await sql('insert into agent_stats (agent_id) select id from agents where operator_id = $1', [
      operator.id,
    ])
    await sql('analyze agents')
    await sql('analyze agent_stats')
  })

  it.each<Record<string, string>>([{ specialization: tag }, { q: tag }])(
    'counts exactly to 10,000 and stops there: %o',
    async (query) => {
      const total = async (more: object) => (await search({ ...query, ...more })).body.pagination.total
      expect(await total({})).toBe(SEARCH_DEPTH)
      expect(await total({ class: 'S' })).toBe(SEARCH_DEPTH + 50 - FEW)
      expect(await total({ class: 'H' })).toBe(FEW)
    },
  )

  it('shows the last page that can be counted, full', async () => {
    const { body } = await search({ specialization: tag, per_page: 50, page: 200 })
    expect(body.data).toHaveLength(50)
    expect(body.pagination).toEqual({ page: 200, per_page: 50, total: SEARCH_DEPTH, total_pages: 200 })
  })

  it('still finds the one that is meant', async () => {
    expect(await found({ q: `${tag} "Filler 10049"` })).toEqual(['Filler 10049'])
  })
})

describe('an odd text', () => {
  const ODD = [
    '...',
    '!?',
    '-',
    '--',
    '- -',
    '"',
    '""',
    '"-',
    '-"',
    "'",
    "''",
    "it's",
    "'; drop table agents; --",
    '\\',
    '\\\\',
    "\\'",
    'a\\',
    '%',
    '%%',
    '_',
    '*',
    ':*',
    'a:*',
    'a:A',
    'a:*B & c',
    '&',
    '|',
    '!',
    '<->',
    'a <-> b',
    'a <2> b',
    'a & | b',
    '((',
    'a | (b',
    '!!a',
    'or',
    'or or',
    'a or',
    'and not',
    '😀',
    'a 😀',
    '👩‍👩‍👧‍👦 family',
    'é ß İ ı ﬁ',
    '日本語',
    'مرحبا',
    '\u200b',
    '\u202e',
    '\t\n',
    '<b>x</b>',
    'http://example.com/a?b=c',
    'me@example.com',
    '/usr/local/bin',
    '1e400',
    '-1',
    'REG-',
    'REG-2026--1',
    'null',
    '{}',
    '[1]',
    '$1',
    'a'.repeat(200),
    '- '.repeat(100),
    '" '.repeat(100),
    'a or '.repeat(40),
    'x '.repeat(100),
    '-x '.repeat(66),
  ]

  it.each(ODD)('%j finds something or nothing', async (q) => {
    const answer = await search({ q })
    expect(answer.status, answer.text).toBe(q.trim() === '' ? 400 : 200)
  })

  it('of only punctuation finds nothing', async () => {
    for (const q of ['...', '!?', '""', '&|', '- -']) {
      expect((await search({ q })).body.pagination.total, q).toBe(0)
    }
  })

  it('does not treat % and _ as wild cards', async () => {
    const word = freshWord()
    await newAgent(await newOperator(), { name: 'Wild', description: word })
    for (const q of [`%${word.slice(3)}`, `_${word.slice(1)}`, `${word.slice(0, 5)}%${word.slice(9)}`]) {
      expect(await found({ q }), q).not.toContain('Wild')
    }
    expect(await found({ q: word })).toEqual(['Wild'])
  })

  it('with NUL, empty, too long or given twice is a 400 that names q', async () => {
    for (const query of ['q=%00', 'q=a%00b', 'q=', 'q=%20', `q=${'a'.repeat(201)}`, 'q=a&q=b']) {
      const answer = await api('GET', `/agents/search?${query}`)
      expectError(answer, 400, 'VALIDATION_ERROR', /^q: /)
    }
  })

  it('counts its length in characters', async () => {
    expect((await search({ q: '😀'.repeat(200) })).status).toBe(200)
    expect((await search({ q: '😀'.repeat(201) })).status).toBe(400)
  })

  it('made at random is never an error of ours', async () => {
    const random = seeded(20261121)
    const pieces = [
      ...`"'\\-:*&|!()<>%_,.;@#/\u0001é😀 \t`,
      ' ',
      ' ',
      'or',
      'and',
      'a',
      'bc',
      '12',
      '-3',
      'x-y',
      "'s",
    ]
    for (let n = 0; n < 120; n++) {
      const q = Array.from(
        { length: 1 + Math.floor(random() * 14) },
        () => pieces[Math.floor(random() * pieces.length)],
      ).join('')
      const answer = await search({ q })
      expect(answer.status, `${JSON.stringify(q)} ${answer.text}`).toBeLessThan(401)
    }
  })
})
