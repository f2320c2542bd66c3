import { expect } from 'vitest'
import type { Body, Harness } from './harness.ts'

/** The claims of a token, unverified. */
export function tokenParts(token: string): { header: Body; claims: Body } {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') }
}

/** Reports an event to a site that cannot promise anything: the response is the same as without the preference. */
export async function expectNoReceipt(site: Pick<Harness, 'api'>, { newReporter }: Harness) {
  const { key, reg } = await newReporter()
  const body = { reg, event_type: 'task_completed' }
  const asked = await site.api('POST', '/activity/report', {
    token: key,
    body,
    headers: { Prefer: 'return=receipt' },
  })
  expect(asked.status).toBe(201)
  expect([asked.body.receipt, asked.headers.get('preference-applied')]).toEqual([undefined, null])
}
