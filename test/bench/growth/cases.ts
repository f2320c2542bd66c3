import { type Case, get } from '../requests/cases.ts'

/** The agents of each database that are requested, spread over its tables. */
export const MEASURED_AGENTS = 500

const READ_MOST = 1.25
const SEARCH_MOST = 3

/** A request of many agents; `most`: how much longer it may take in the large database. */
export interface GrownCase extends Pick<Case, 'name' | 'load'> {
  most: number
}

interface Agent {
  reg: string
  name: string
  description: string
}

/** The measured requests; each search finds eight agents, or one by its number. */
export function grownCasesOf(agents: readonly Agent[]): GrownCase[] {
  const read = (name: string, most: number, path: (agent: Agent) => string): GrownCase => ({
    name,
    load: get(agents.map((agent) => `/api/v1${path(agent)}`)),
    most,
  })
  const search = (q: string) => `/agents/search?q=${encodeURIComponent(q)}`
  return [
    read('GET /agents/{reg}', READ_MOST, ({ reg }) => `/agents/${reg}`),
    read('GET /verify/{reg}', READ_MOST, ({ reg }) => `/verify/${reg}`),
    read('GET /agents/{reg}/trust-score', READ_MOST, ({ reg }) => `/agents/${reg}/trust-score`),
    read('GET /agents/{reg}/activity', READ_MOST, ({ reg }) => `/agents/${reg}/activity`),
    read('search: a word of eight agents', SEARCH_MOST, ({ description }) => search(lastWord(description))),
    read('search: the number of an agent', SEARCH_MOST, ({ reg }) => search(reg)),
    read('search: a misspelled word', SEARCH_MOST, ({ name }) => search(misspelled(name))),
  ]
}

const lastWord = (text: string) => text.split(' ').at(-1) ?? ''

/** The second word of a name, with two letters of its middle exchanged. */
function misspelled(name: string): string {
  const [a = '', b = '', ...rest] = (name.split(' ')[1] ?? '').slice(4)
  return (name.split(' ')[1] ?? '').slice(0, 4) + b + a + rest.join('')
}

/** @throws Error when the requests do not find as many in both databases: their times could not be compared */
export async function compareSearches(
  small: { url: string; cases: readonly GrownCase[] },
  large: { url: string; cases: readonly GrownCase[] },
): Promise<void> {
  for (const [n, { name, load }] of small.cases.entries()) {
    const found = await Promise.all([
      look(small.url + load.paths[7]),
      look(`${large.url}${large.cases[n]?.load.paths[7]}`),
    ])
    if (found[0] !== found[1])
      throw new Error(`${name}: the small one finds ${found[0]}, the large ${found[1]}`)
  }
}

/** The number of results that a response states. */
async function look(url: string): Promise<string> {
  const response = await fetch(url, { headers: { 'CF-Connecting-IP': '10.255.255.1' } })
  const { total, events_considered } = (await response.json()) as Record<string, number>
  return `${response.status}: total ${total}, events ${events_considered}`
}
