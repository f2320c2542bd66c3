import { type Check, verifyLog } from '../../packages/verify/index.ts'
import { readWholeLog } from '../../packages/verify/whole-log.ts'

const NETWORK = '198.18.0' // of addresses that no test calls from
const ADDRESSES = 250 // so that none of them comes to its limit

/**
 * Verifies that the leaves that a service serves result in its signed head, like `agentreg verify --all`.
 *
 * @returns the problems, as text; empty without a head or a service
 */
export async function checkServedLog(baseUrl: string): Promise<string[]> {
  let requested = 0
  const ask = (url: string, init: RequestInit) =>
    fetch(url, { ...init, headers: { 'CF-Connecting-IP': `${NETWORK}.${++requested % ADDRESSES}` } })
  const readAll: Check = {
    name: 'all',
    async verify({ head }) {
      if (!head) throw new Error('there is no verified head')
      await readWholeLog(head) // `checkLog` judges the same leaves
      return ''
    },
  }
  const { checks } = await verifyLog(baseUrl, { fetch: ask, also: [readAll] })
  return checks.flatMap(({ ok, detail }) => (ok === false ? [detail] : []))
}
