import { describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, expectError, freshSlug, shared } from '../support/harness.ts'
import { searcher } from '../support/search.ts'
import { webControl } from '../support/web.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform, report, newKey } = h
const { search, found, setScore } = searcher(h)

it('a search result has exactly seven fields, and reflects changes of its agent immediately', async () => {
  const [word, after] = [freshWord(), freshWord()]
  const operator = await newOperator()
  const { token } = operator
  const agent = await newAgent(operator, { name: word, class: 'H', description: 'private to the profile' })
  const fresh = {
    reg: agent.reg,
    name: word,
    class: 'H',
    status: 'active',
    trust_score_overall: null,
    tasks_completed: 0,
    operator_name: (await api('GET', '/operators/me', { token })).body.name,
  }
  expect((await search({ q: word })).body).toEqual({
    data: [fresh],
    pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
  })
  await report((await newKey(operator)).key, agent.reg)
  await setScore(agent, 87)
  const scored = { ...fresh, tasks_completed: 1, trust_score_overall: '87.0' }
  expect((await search({ q: word })).body.data).toEqual([scored])
  await api('PATCH', `/agents/${agent.reg}`, { token, body: { name: after, status: 'deactivated' } })
  expect(await found({ q: word })).toEqual([])
  expect((await search({ q: after })).body.data).toEqual([{ ...scored, name: after, status: 'deactivated' }])
})

it('a search ends at 10,000 results, whatever the size of a page', async () => {
  for (const [per_page, page] of [
    [50, 201],
    [1, 10_001],
  ] as const)
    expectError(await search({ per_page, page }), 400, 'VALIDATION_ERROR', /^page: .*10000/)
})

describe('the order of results', () => {
  it('depends on where the word occurs: name, then specialization, then description', async () => {
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

  it('is by score among equal matches, unscored last, then newest first', async () => {
    const word = freshWord()
    const operator = await newOperator({ tier: 'pro' })
    const agents: Body[] = []
    for (const name of ['older', 'newer', 'low', 'high', 'unscored']) {
      agents.push(await newAgent(operator, { name, description: word, specializations: [word] }))
    }
    for (const [n, score] of [50, 50, 49.9, 50.1].entries()) await setScore(agents[n], score)
    const expected = ['high', 'newer', 'older', 'low', 'unscored']
    for (const query of [{ q: word }, { specialization: word }]) {
      expect(await found(query)).toEqual(expected)
      const pages = [1, 2, 3].map((page) => found({ ...query, per_page: 2, page }))
      expect((await Promise.all(pages)).flat()).toEqual(expected)
    }
  })
})

it('a deactivated agent comes after all others, whatever its match and score', async () => {
  const word = freshWord()
  const operator = await newOperator()
  const off = await newAgent(operator, { name: word, specializations: [word] })
  await setScore(off, 100)
  await api('PATCH', `/agents/${off.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  await newAgent(operator, { name: 'described', description: word, specializations: [word] })
  for (const query of [{ q: word }, { specialization: word }, { operator: operator.id }]) {
    expect(await found(query), JSON.stringify(query)).toEqual(['described', word])
    expect(await found({ ...query, status: 'deactivated' })).toEqual([word])
    expect(await found({ ...query, min_score: 50 })).toEqual([word])
  }
})

it('filters return only agents that match all of them', async () => {
  const tag = freshWord()
  const operator = await newOperator({ tier: 'pro' })
  const { slug } = await newPlatform(operator)
  const make = (name: string, fields: object) =>
    newAgent(operator, { name, specializations: ['other', tag], ...fields })
  const [a, s, verified, off] = [
    await make('aa', { class: 'A', platform_slug: slug }),
    await make('ss', { class: 'S', platform_slug: slug }),
    await make('hh', { class: 'H' }),
    await make('off', { class: 'A' }),
  ]
  await newAgent(operator, { name: 'untagged', specializations: [`${tag}s`] })
  for (const [agent, score] of [
    [a, 80],
    [s, 60.5],
    [off, 95],
  ] as const)
    await setScore(agent, score)
  await sql("update agents set ownership_status = 'verified', ownership_verified_at = now() where id = $1", [
    verified.id,
  ])
  await api('PATCH', `/agents/${off.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const some = {
    q: tag.slice(0, 7),
    class: 'A',
    platform: slug,
    status: 'active',
    min_score: 80,
    ownership_status: 'unverified',
  }
  const rows: [query: object, expected: string][] = [
    [{}, 'aa hh off ss'],
    [{ specialization: tag.slice(0, 6) }, ''],
    [{ class: 'A' }, 'aa off'],
    [{ class: 'S' }, 'ss'],
    [{ class: 'H' }, 'hh'],
    [{ platform: slug }, 'aa ss'],
    [{ platform: freshSlug() }, ''],
    [{ status: 'active' }, 'aa hh ss'],
    [{ status: 'deactivated' }, 'off'],
    [{ min_score: 60.5 }, 'aa off ss'],
    [{ min_score: '60.6' }, 'aa off'],
    [{ min_score: 0 }, 'aa off ss'], // agents without a score are excluded
    [{ min_score: 100 }, ''],
    [{ ownership_status: 'verified' }, 'hh'],
    [{ ownership_status: 'unverified' }, 'aa off ss'],
    [{ q: tag }, 'aa hh off ss'],
    [some, 'aa'],
    [{ ...some, class: 'S' }, ''],
    [{ ...some, status: 'deactivated' }, ''],
    [{ ...some, min_score: 81 }, ''],
    [{ ...some, ownership_status: 'verified' }, ''],
    [{ operator: operator.id, class: 'H' }, 'hh'],
    [{ operator: operator.id.toUpperCase(), class: 'S' }, 'ss'],
    [{ operator: '01a1fc89-cf65-7e90-91f2-582afd126737' }, ''],
  ]
  for (const [query, expected] of rows)
    expect([query, (await found({ specialization: tag, ...query })).sort().join(' ')]).toEqual([
      query,
      expected,
    ])
})

it('a verified domain is matched exactly, in any case, and in Unicode or ASCII', async () => {
  const owner = await newOperator()
  const { reg, name } = await newAgent(owner, { name: freshWord() })
  const ascii = `xn--bcher-kva.${freshWord()}.example.com`
  await webControl(h).prove(reg, owner, { domain: ascii })
  for (const domain of [ascii, ascii.toUpperCase(), ascii.replace('xn--bcher-kva', 'Bücher')])
    expect(await found({ domain })).toEqual([name])
  for (const domain of [ascii.slice(ascii.indexOf('.') + 1), `a.${ascii}`])
    expect(await found({ domain })).toEqual([])
  expectError(await search({ domain: 'example..com' }), 400, 'VALIDATION_ERROR', /^domain: /)
})

it('omits the Link header of a page if its URL is so long that clients would reject the headers', async () => {
  const operator = await newOperator()
  const name = 'ü'.repeat(200) // six characters each, in four links
  for (const _ of [1, 2, 3]) await newAgent(operator, { name })
  const list = (query: string) =>
    api('GET', `/agents/search?operator=${operator.id}&page=2&per_page=1${query}`)
  expect((await list('')).headers.get('link')?.match(/rel="\w+"/g)).toHaveLength(4)
  const long = await list(`&q=${encodeURIComponent(name)}`)
  expect([long.status, long.headers.get('link')]).toEqual([200, null])
  expect(long.body.pagination).toMatchObject({ page: 2, total: 3 })
})
