import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { attributeOf, expectPage, pageReader, textsOf } from '../support/pages.ts'

const h = shared()
const read = pageReader(h)

it('the home page has a search that works without scripts', async () => {
  await h.newReporter()
  const page = await read('/')
  expectPage(page, 200)
  expect(textsOf(page, 'h1')).toEqual(['Is this agent what it says it is?'])
  expect(attributeOf(page, '<form', 'action')).toBe('/agents')
  expect(attributeOf(page, '<form', 'method')).toBeNull() // GET
  expect(page.html).toMatch(/<label for="q">[^<]+<\/label>\s*<div class="row"><input id="q" name="q"/)
  expect(textsOf(page, 'h2').slice(0, 3)).toEqual([
    'A permanent number',
    'A log that cannot be changed',
    'A score you can recompute',
  ])
  expect(attributeOf(page, 'og:description', 'content')).toMatch(/software agent/)
  expect(attributeOf(page, 'rel="canonical"', 'href')).toBe(`${h.base_url}/`)
})

async function shownAgents(): Promise<string[]> {
  const { html } = await read('/')
  return html.match(/<h3><a href="\/agents\/[^"]+/g)?.map((link) => link.slice(-20)) ?? []
}

it('the home page shows the best agents in the order of the API', async () => {
  await h.newReporter()
  const readBoth = async () => {
    const { data } = (await h.api('GET', '/agents/search?status=active&per_page=50')).body
    const suspended = await h.sql(
      `select reg from agents a join operators o on o.id = a.operator_id where o.status = 'suspended'`,
      [],
    )
    const regs = new Set(suspended.map(({ reg }) => reg))
    const ranked = data.map(({ reg }: { reg: string }) => reg).filter((reg: string) => !regs.has(reg))
    return { shown: await shownAgents(), ranked: ranked.slice(0, 6) }
  }
  await expect
    .poll(async () => {
      const { shown, ranked } = await readBoth() // other tests register agents meanwhile
      return JSON.stringify(shown) === JSON.stringify(ranked)
    })
    .toBe(true)
})
