import { z } from 'zod'
import { showCall } from './call.ts'
import { quote, say, step } from './print.ts'

const challengeShape = z.object({ record_name: z.string(), record_value: z.string() })
const verifiedShape = z.object({ ownership_status: z.literal('verified'), domain: z.string() })

/**
 * Verifies a domain for the agent, with a TXT record in the DNS stand-in.
 *
 * @param at the time at which it is verified
 * @throws Error when the record cannot be published or is not found
 */
export async function showDomain(
  api: string,
  { web_stand_in_url: dns }: { web_stand_in_url: string },
  as: { variable: string; token: string },
  { reg, domain, at }: { reg: string; domain: string; at: Date },
): Promise<void> {
  step(
    'Verify a domain for the agent',
    'The registry states what to publish, looks it up, and checks it again every week. Here, a stand-in is the DNS.',
  )
  const path = `/agents/${reg}/ownership`
  const body = { domain, method: 'dns' }
  const made = { method: 'POST', as, at } as const
  const { record_name: name, record_value: txt } = await showCall(api, {
    ...made,
    path: `${path}/challenge`,
    body,
    status: 201,
    shape: challengeShape,
  })
  const record = JSON.stringify({ name, txt })
  say(`curl -s -X PUT -d ${quote(record)} ${dns}/records`)
  const published = await fetch(`${dns}/records`, { method: 'PUT', body: record })
  if (!published.ok) throw new Error(`the DNS stand-in responds ${published.status}`)
  await showCall(api, { ...made, path: `${path}/verify`, status: 200, shape: verifiedShape })
}
