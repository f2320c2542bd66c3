import { readTxtAnswer } from '../../../src/ownership/txt.ts'
import { type Check, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 10_000
const ASKED = 'example.com'

/** The resolver that is asked for proofs of domains. */
export const dnsChecks: Check[] = [
  {
    part: 'DNS',
    name: 'resolver',
    async run({ env }) {
      const url = new URL(env.DOH_URL)
      url.searchParams.set('name', ASKED)
      url.searchParams.set('type', 'TXT')
      const headers = { Accept: 'application/dns-json' }
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const body = await response.json().catch(() => null)
      return response.ok && readTxtAnswer(body)
        ? ok('responds to a question for TXT records')
        : wrong(
            `DOH_URL responds ${response.status}, and not as a resolver does`,
            'leave DOH_URL out, or name a resolver that speaks DNS over HTTPS in JSON',
          )
    },
  },
]
