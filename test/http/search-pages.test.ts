import { beforeAll, describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { searcher } from '../support/search.ts'

const h = shared()
const { sql, newOperator, newAgent } = h
const { search, found } = searcher(h)

const SEARCH_DEPTH = 10_000

describe('pages of search results', () => {
  it('contain every result exactly once, with links that keep the query', async () => {
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

  it('end at 10,000 results with a 400 that names the limit', async () => {
    expect((await search({ q: freshWord(), per_page: 50, page: 200 })).status).toBe(200)
    const rejection = /^page: .*10000.*narrow/
    expectError(await search({ per_page: 50, page: 201 }), 400, 'VALIDATION_ERROR', rejection)
    expectError(await search({ per_page: 1, page: 10_001 }), 400, 'VALIDATION_ERROR', rejection)
    expectError(await search({ page: 999_999_999 }), 400, 'VALIDATION_ERROR', rejection)
  })

  it('have a number and a size, and an error names only the rule that is broken', async () => {
    for (const [query, message] of [
      [{ page: 'abc' }, 'page: must be an integer of at least 1'],
      [{ page: '9'.repeat(400) }, 'page: at most 1000000000'],
      [{ page: 50, per_page: 500 }, 'per_page: at most 50'],
    ] as const) {
      expect((await search(query)).body.error.message).toBe(message)
    }
  })
})

describe('a search over 10,050 agents', () => {
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
    'counts exactly up to 10,000: %o',
    async (query) => {
      const total = async (more: object) => (await search({ ...query, ...more })).body.pagination.total
      expect(await total({})).toBe(SEARCH_DEPTH)
      expect(await total({ class: 'S' })).toBe(SEARCH_DEPTH + 50 - FEW)
      expect(await total({ class: 'H' })).toBe(FEW)
    },
  )

  it('fills the last page', async () => {
    const { body } = await search({ specialization: tag, per_page: 50, page: 200 })
    expect(body.data).toHaveLength(50)
    expect(body.pagination).toEqual({ page: 200, per_page: 50, total: SEARCH_DEPTH, total_pages: 200 })
  })

  it('finds a single agent among them', async () => {
    expect(await found({ q: `${tag} "Filler 10049"` })).toEqual(['Filler 10049'])
  })
})
