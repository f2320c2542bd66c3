import { readTxtAnswer } from '../../../src/ownership/txt.ts'
import { checksOf, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 10_000
const QUERIED_NAME = 'example.com'

/** The resolver that is queried to verify domains. */
export const dnsChecks = checksOf('DNS', [
  {
    name: 'resolver',
    async run({ env }) {
      const url = new URL(env.DOH_URL)
      url.searchParams.set('name', QUERIED_NAME)
      url.searchParams.set('type', 'TXT')
      const headers = { Accept: 'application/dns-json' }
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const body = await response.json().catch(() => null)
      return response.ok && readTxtAnswer(body)
        ? ok('responds to a query for TXT records')
        : wrong(
            `DOH_URL returned ${response.status}, not a response of a resolver`,
            'remove DOH_URL, or set it to a resolver that supports DNS over HTTPS in JSON',
          )
    },
  },
])
