import { beforeAll, describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, expectError, freshSlug, shared } from '../support/harness.ts'
import { searcher } from '../support/search.ts'
import { webControl } from '../support/web.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform, report, newKey } = h
const { search, found, setScore } = searcher(h)
const web = webControl(h)

describe('a search result', () => {
  it('has exactly seven fields', async () => {
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

  it('reflects a change of its agent immediately', async () => {
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
    expect(await found({ q: word })).toEqual(expected)
    expect(await found({ specialization: word })).toEqual(expected)
  })
})

describe('a deactivated agent', () => {
  it('comes after all others, whatever its match and score', async () => {
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
})

describe('a filter', () => {
  const tag = freshWord()
  let slug: string
  const names = (...expected: string[]) => [...expected].sort()
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

  it('by specialization matches the whole tag', async () => {
    expect(await filtered({})).toEqual(names('aa', 'ss', 'hh', 'off'))
    expect(await filtered({ specialization: tag.slice(0, 6) })).toEqual([])
  })

  it('by class returns only agents of the class', async () => {
    expect(await filtered({ class: 'A' })).toEqual(names('aa', 'off'))
    expect(await filtered({ class: 'S' })).toEqual(['ss'])
    expect(await filtered({ class: 'H' })).toEqual(['hh'])
  })

  it('by platform returns its agents, and none for an unknown one', async () => {
    expect(await filtered({ platform: slug })).toEqual(names('aa', 'ss'))
    expect((await found({ platform: slug })).sort()).toEqual(names('aa', 'ss'))
    expect(await filtered({ platform: freshSlug() })).toEqual([])
  })

  it('by status returns only agents of the status, and without it all', async () => {
    expect(await filtered({ status: 'active' })).toEqual(names('aa', 'ss', 'hh'))
    expect(await filtered({ status: 'deactivated' })).toEqual(['off'])
  })

  it('by minimum score excludes agents without a score', async () => {
    expect(await filtered({ min_score: 60.5 })).toEqual(names('aa', 'ss', 'off'))
    expect(await filtered({ min_score: '60.6' })).toEqual(names('aa', 'off'))
    expect(await filtered({ min_score: 0 })).toEqual(names('aa', 'ss', 'off'))
    expect(await filtered({ min_score: 100 })).toEqual([])
  })

  it('by operator ignores case, and finds nothing for an unknown one', async () => {
    const owner = await newOperator()
    const word = freshWord()
    const { reg } = await newAgent(owner, { specializations: [word] })
    for (const operator of [owner.id, owner.id.toUpperCase()]) {
      expect((await search({ operator })).body.data).toMatchObject([{ reg }])
      expect((await search({ operator, specialization: word, class: 'A' })).body.data).toMatchObject([
        { reg },
      ])
      expect(await found({ operator, class: 'S' })).toEqual([])
    }
    expect(await found({ operator: '01a1fc89-cf65-7e90-91f2-582afd126737' })).toEqual([])
  })

  it('by verified domain matches exactly, in any case, and in Unicode or ASCII', async () => {
    const owner = await newOperator()
    const { reg, name } = await newAgent(owner, { name: freshWord() })
    const ascii = `xn--bcher-kva.${freshWord()}.example.com`
    await web.prove(reg, owner, { domain: ascii })
    for (const domain of [ascii, ascii.toUpperCase(), ascii.replace('xn--bcher-kva', 'Bücher')]) {
      expect((await search({ domain })).body.data).toMatchObject([{ reg }])
      expect(await found({ domain, q: name, ownership_status: 'verified' })).toEqual([name])
    }
    expect(await found({ domain: ascii.slice(ascii.indexOf('.') + 1) })).toEqual([])
    expect(await found({ domain: `a.${ascii}` })).toEqual([])
    expectError(await search({ domain: 'example..com' }), 400, 'VALIDATION_ERROR', /^domain: /)
  })

  it('by ownership status returns only agents of the status', async () => {
    expect(await filtered({ ownership_status: 'verified' })).toEqual(['hh'])
    expect(await filtered({ ownership_status: 'unverified' })).toEqual(names('aa', 'ss', 'off'))
  })

  it('combines with other filters and a search text', async () => {
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
})
