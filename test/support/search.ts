import { expect } from 'vitest'
import { AS_SNAPSHOT } from './fill.ts'
import type { Body, Harness } from './harness.ts'

type Query = Record<string, string | number>

/** What tests of the search do on a stack. */
export function searcher({ api, sql }: Pick<Harness, 'api' | 'sql'>) {
  const search = (query: Query) =>
    api('GET', `/agents/search?${new URLSearchParams(query as Record<string, string>)}`)
  return {
    search,
    /** The names that a search finds, in its order. */
    async found(query: Query): Promise<string[]> {
      const { status, body } = await search(query)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.data.map((item: Body) => item.name)
    },
    /** Sets what the last snapshot would have stored. */
    setScore: (agent: Body, score: number | null) =>
      sql(`${AS_SNAPSHOT} where agent_id = $1`, [agent.id, score]),
  }
}
