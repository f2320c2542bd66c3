import { describe, expect, it } from 'vitest'
import { ERROR_STATUS } from '../../src/errors.ts'
import { findSections, resultsOf, type Section } from '../../src/pages/docs-search.ts'
import { files } from '../support/site.ts'

const index: Section[] = JSON.parse(files['docs/search.json'] ?? '')
const found = (query: string) => findSections(index, query).map(({ path }) => path)

describe('the search of the documentation', () => {
  it.each(Object.keys(ERROR_STATUS))('finds the error %s first', (code) => {
    expect(found(code)[0]).toBe(`/docs/errors#${code}-title`)
  })

  it('finds sections by their heading, before others with the word, in any case', () => {
    expect(found('Domain VERIFICATION')[0]).toBe('/docs/api#domain-verification')
    expect(found('idempotency')[0]).toBe('/docs/api#idempotency')
    expect(found('MCP')[0]).toMatch(/^\/docs\/mcp/)
  })

  it('finds operations by what they do, and by the names of their fields', () => {
    expect(found('POST /api/v1/activity/report')).toContain('/docs/reference/report-activity')
    expect(found('trust_score_updated')).toContain('/docs/reference/get-agent')
  })

  it('finds only sections with each word, and at most 20', () => {
    expect(found('idempotency gardening')).toEqual([])
    expect(found('the')).toHaveLength(20)
    expect(found(' ')).toEqual([])
  })

  it('shows each word in its context, and texts as texts', async () => {
    const section = {
      path: '/docs/x#a',
      page: 'X',
      heading: 'A & B',
      text: `${'word '.repeat(50)}a <b> Key here`,
    }
    const html = String(await resultsOf([section], 'key <b>'))
    expect(html).toContain('<a href="/docs/x#a">A &amp; B</a>')
    expect(html).toContain('a <mark>&lt;b&gt;</mark> <mark>Key</mark> here</p>')
    expect(html).toContain('1 section with “key &lt;b&gt;”')
    expect(html).toMatch(/<p>… word/)
  })
})
