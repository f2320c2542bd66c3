import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { freshWord } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, newOperator } = h
const admin = (...args: string[]) => administer(h.database_url, args)

describe('a search, while texts are withheld,', () => {
  it('does not find agents by withheld words, but by their number', async () => {
    const { operator, agent, reg } = await h.newReporter({ tier: 'pro' })
    const word = freshWord()
    const texts = { name: `Clerk ${word}`, description: `About ${word}`, specializations: [word] }
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: texts })
    const found = async (query: string) => {
      const { body } = await api('GET', `/agents/search?${query}`)
      expect(body.pagination.total).toBe(body.data.length)
      return body.data.map(({ reg }: Body) => reg)
    }
    const typo = `${word.slice(0, -2)}${word.at(-1)}${word.at(-2)}`
    const byWord = [`q=${word}`, `q=${typo}`, `q=${word.slice(0, 8)}`, `specialization=${word}`]
    const byNumber = [`q=${reg}`, `operator=${operator.id}`]
    for (const query of [...byWord, ...byNumber]) expect([query, await found(query)]).toEqual([query, [reg]])

    await admin('withhold-text', agent.reg)
    for (const query of byWord) expect([query, await found(query)]).toEqual([query, []])
    for (const query of byNumber) expect([query, await found(query)]).toEqual([query, [reg]])
    await admin('show-text', agent.reg)
    for (const query of byWord) expect([query, await found(query)]).toEqual([query, [reg]])

    await h.suspend(operator)
    for (const query of [...byWord, ...byNumber]) expect([query, await found(query)]).toEqual([query, []])
    const suspended = (query: string) => found(`${query}&operator_status=suspended`)
    for (const query of byWord) expect([query, await suspended(query)]).toEqual([query, []])
    for (const query of byNumber) expect([query, await suspended(query)]).toEqual([query, [reg]])
    expect(await suspended(`operator=${operator.id}&min_score=0`)).toEqual([])
    await admin('unsuspend', operator.email)
    for (const query of [...byWord, ...byNumber]) expect([query, await found(query)]).toEqual([query, [reg]])
  })

  it('does not list an agent whose registration ends after the suspension of its operator', async () => {
    const operator = await newOperator({ tier: 'business' })
    await Promise.all([
      ...Array.from({ length: 20 }, () =>
        api('POST', '/agents', { token: operator.token, body: { name: 'Scout', class: 'A' } }),
      ),
      h.suspend(operator),
    ])
    const { body } = await api('GET', `/agents/search?operator=${operator.id}`)
    expect(body.data).toEqual([])
    const all = await api('GET', `/agents/search?operator=${operator.id}&operator_status=suspended`)
    const [{ count }] = await h.sql('select count(*)::integer from agents where operator_id = $1', [
      operator.id,
    ])
    expect(all.body.pagination.total).toBe(count)
  })
})
