import { type Check, verifyLog } from '../../packages/verify/index.ts'
import { readWholeLog } from '../../packages/verify/whole-log.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { isPlanted } from './log-check.ts'

const NETWORK = '198.18.0' // of addresses that no test calls from
const ADDRESSES = 250 // so that none of them comes to its limit

/**
 * Verifies the log that a service serves against its signed head, like `agentreg verify --all`.
 *
 * @returns the problems, as text; empty without a head or a service
 */
export async function checkServedLog(baseUrl: string): Promise<string[]> {
  let requested = 0
  const ask = (url: string, init: RequestInit) =>
    fetch(url, { ...init, headers: { 'CF-Connecting-IP': `${NETWORK}.${++requested % ADDRESSES}` } })
  const planted = new Set<string>()
  let problems: string[] = []
  const readAll: Check = {
    name: 'all',
    async verify({ head }) {
      if (!head) throw new Error('there is no verified head')
      const readBundle = async (n: number) => {
        const entries = await head.readBundle(n)
        for (const [at, entry] of entries.entries())
          if (isPlanted(entry)) planted.add(`leaf ${n * TILE_WIDTH + at} is not a valid leaf`)
        return entries
      }
      const found = await readWholeLog({ ...head, readBundle })
      problems = found.problems.filter((problem) => !planted.has(problem))
      return ''
    },
  }
  const { checks } = await verifyLog(baseUrl, { fetch: ask, also: [readAll] })
  const failed = checks.flatMap(({ ok, detail }) => (ok === false ? [detail] : []))
  return [...failed, ...problems]
}
