import { expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { shared } from '../support/harness.ts'
import { untilScored } from '../support/logged.ts'
import { pageReader } from '../support/pages.ts'
import { newScored } from '../support/scored.ts'

const h = shared()
const read = pageReader(h)

async function shownAgents(): Promise<string[]> {
  const { html } = await read('/')
  return html.match(/<h3><a href="\/agents\/[^"]+/g)?.map((link) => link.slice(-20)) ?? []
}

it('the home page recommends agents with a good record, in the order of the API, and no others', async () => {
  const { reg: unrated } = await h.newReporter()
  const daysAgo = (count: number) => new Date(Date.now() - count * DAY_MS)
  const { reg: good, work } = await newScored(h, { now: daysAgo(14) })
  for (let age = 13; age >= 0; age--) await work(daysAgo(age), 24)
  await untilScored(h, good)
  const ranking = async () => {
    const { data } = (await h.api('GET', '/agents/search?status=active&per_page=30')).body
    return data.map(({ reg }: { reg: string }) => reg) as string[]
  }
  const shown = await shownAgents()
  expect(shown).not.toContain(unrated)
  expect(shown.length).toBeGreaterThan(0)
  for (const reg of shown) {
    const { standing } = (await h.api('GET', `/verify/${reg}`)).body
    expect(['established', 'attested']).toContain(standing)
  }
  await expect
    .poll(async () => {
      const [order, now] = [await ranking(), await shownAgents()] // other tests report meanwhile
      return now.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).join() === now.join()
    })
    .toBe(true)
})
