import { createHash, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Env } from '../../../src/env.ts'
import { DOCTOR_PATH, fingerprints } from '../../../src/health/doctor-routes.ts'
import { checksOf, type Outcome, ok, type Visit, wrong } from '../check.ts'
import { SIGNING_KEYS } from './qstash.ts'

const TIMEOUT_MS = 10_000
const DEPLOY = 'get the current file, or deploy this one'

const REJECTED = wrong(
  'the Worker rejects messages signed with QSTASH_CURRENT_SIGNING_KEY',
  `${DEPLOY}, or set the clock of this machine (NTP)`,
)

/** Whether the Worker runs with the settings of the file. */
export const agreementChecks = checksOf('Worker', [
  {
    name: 'settings',
    async run({ given, env }) {
      const reported = await askWorker(env, SIGNING_KEYS[0])
      return reported ? compare(await fingerprints(given, reported.id), reported.settings) : REJECTED
    },
  },
])

/** Sends a request to the Worker, signed like those of QStash; null when the Worker rejects the signature. */
async function askWorker(env: Env, name: (typeof SIGNING_KEYS)[number]) {
  const id = randomUUID()
  const url = env.BASE_URL + DOCTOR_PATH
  const body = JSON.stringify({ id })
  const signature = await new SignJWT({ body: createHash('sha256').update(body).digest('base64url') })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('Upstash')
    .setSubject(url)
    .setIssuedAt()
    .setNotBefore('0 s')
    .setExpirationTime(`${TIMEOUT_MS / 1000} s`)
    .sign(new TextEncoder().encode(env[name]))
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', 'Upstash-Signature': signature },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`the Worker returned ${response.status} at ${url}`)
  const { settings } = (await response.json()) as { settings: Fingerprints } // the type of our own route
  return { id, settings }
}

/**
 * The names of the settings that the Worker does not have, or with other values.
 *
 * @param expected names of settings that may differ
 * @throws Error when the Worker does not respond, or rejects both signing keys
 */
export async function differing(
  { given, env }: Pick<Visit, 'given' | 'env'>,
  expected: readonly string[] = [],
): Promise<string[]> {
  for (const name of SIGNING_KEYS) {
    const reported = await askWorker(env, name)
    if (reported) return namesOf(await fingerprints(given, reported.id), reported.settings)
    if (!expected.includes(name) && !expected.includes(SIGNING_KEYS[0])) return [name]
  }
  return [...SIGNING_KEYS]
}

type Fingerprints = Record<string, string>

function namesOf(here: Fingerprints, there: Fingerprints): string[] {
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])].sort()
  return names.filter((name) => here[name] !== there[name])
}

function compare(here: Fingerprints, there: Fingerprints): Outcome {
  const off = namesOf(here, there)
  const said = off.map((name) =>
    !(name in there)
      ? `${name} is missing`
      : !(name in here)
        ? `${name} is not in this file`
        : `${name} differs`,
  )
  return off.length > 0
    ? wrong(`the settings of the Worker differ from this file: ${said.join(', ')}`, DEPLOY)
    : ok('the Worker runs with the settings of this file')
}
