import { expect } from 'vitest'
import { AS_SNAPSHOT } from './fill.ts'
import type { Body, Harness } from './harness.ts'

type Query = Record<string, string | number>

/** Operations of tests of the search. */
export function searcher({ api, sql }: Pick<Harness, 'api' | 'sql'>) {
  const search = (query: Query) =>
    api('GET', `/agents/search?${new URLSearchParams(query as Record<string, string>)}`)
  return {
    search,
    /** The names in a search result, in order. */
    async found(query: Query): Promise<string[]> {
      const { status, body } = await search(query)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.data.map((item: Body) => item.name)
    },
    /** Sets a score like a snapshot. */
    setScore: (agent: Body, score: number | null) =>
      sql(`${AS_SNAPSHOT} where agent_id = $1`, [agent.id, score]),
  }
}
