import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { call, showCall } from './call.ts'
import { say, step } from './print.ts'

const WAIT_MS = 120_000
const POLL_MS = 100

const checkShape = z.object({ verification_url: z.string() })
const nameShape = z.object({ name: z.string() })
const statusShape = z.object({ kyc_status: z.string() })

interface Person {
  variable: string
  token: string
  first_name: string
  last_name: string
  birth_date: string
}

/**
 * Verifies each person with the local identity provider, which accepts any input.
 *
 * @throws Error when the registry does not receive the result in time
 */
export async function showVerification(api: string, people: readonly Person[]): Promise<void> {
  step(
    'Verify both operators',
    'The reports of a platform count as peer only if both operators are verified as different people.',
    'Each first sets a name, which is verified if the document shows it. From the document, the registry',
    'stores only a keyed hash of the person, no name.',
  )
  for (const { variable, token, ...person } of people) {
    const as = { variable, token }
    const name = `${person.first_name} ${person.last_name}`
    await showCall(api, {
      method: 'PATCH',
      path: '/operators/me',
      as,
      body: { name },
      status: 200,
      shape: nameShape,
    })
    const path = '/operators/me/kyc/start'
    const { verification_url } = await showCall(api, {
      method: 'POST',
      path,
      as,
      status: 200,
      shape: checkShape,
    })
    const form = new URLSearchParams({ outcome: 'approve', ...person })
    say(`curl -s -o /dev/null -d '${form}' ${verification_url}`)
    const decided = await fetch(verification_url, { method: 'POST', body: form, redirect: 'manual' })
    if (decided.status >= 400) throw new Error(`the identity provider returns ${decided.status}`)
    await verified(api, as)
    say('→ verified')
  }
}

async function verified(api: string, as: { variable: string; token: string }): Promise<void> {
  const requested = { method: 'GET', path: '/operators/me/kyc', as, status: 200, shape: statusShape } as const
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(POLL_MS)) {
    if ((await call(api, requested)).kyc_status === 'verified') return
  }
  throw new Error(`the registry did not receive the result of the check within ${WAIT_MS / 1000} s`)
}
