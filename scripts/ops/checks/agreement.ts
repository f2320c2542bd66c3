import { createHash, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Env } from '../../../src/env.ts'
import { DOCTOR_PATH, fingerprints } from '../../../src/health/doctor-routes.ts'
import { type Check, type Outcome, ok, type Visit, wrong } from '../check.ts'
import { SIGNING_KEYS } from './qstash.ts'

const TIMEOUT_MS = 10_000
const SKEW_MAX_MS = 3_000 // signatures are taken for five seconds around their time
const DEPLOY = 'give the Worker the settings of this file (npm run -s ops -- secrets put), and deploy'

const REJECTED = wrong('the Worker takes no message signed with QSTASH_CURRENT_SIGNING_KEY', DEPLOY)

/** What the Worker tells whoever holds a signing key. */
interface Told {
  at: string
  settings: Record<string, string>
}

/** Whether the Worker runs with what the file says. */
export const agreementChecks: Check[] = [
  {
    part: 'Worker',
    name: 'signatures',
    ofWorker: true,
    async run(visit) {
      const rejected: string[] = []
      for (const name of SIGNING_KEYS) if (!(await askSigned(visit, name)).told) rejected.push(name)
      return rejected.length > 0
        ? wrong(`the Worker rejects what ${rejected.join(' and ')} signed`, DEPLOY)
        : ok('the Worker takes what either key of QStash signed')
    },
  },
  {
    part: 'Worker',
    name: 'settings',
    ofWorker: true,
    async run(visit) {
      const { id, told } = await askSigned(visit, SIGNING_KEYS[0])
      return told ? compare(await fingerprints(visit.given, id), told.settings) : REJECTED
    },
  },
  {
    part: 'Worker',
    name: 'time',
    ofWorker: true,
    async run(visit) {
      const { told, began, took } = await askSigned(visit, SIGNING_KEYS[0])
      if (!told) return REJECTED
      const off = Math.abs(Date.parse(told.at) - (began + took / 2)) - took / 2
      return off > SKEW_MAX_MS
        ? wrong(
            `its clock is ${Math.round(off / 1000)} s off this machine's`,
            'set the clock of this machine (NTP)',
          )
        : ok("its clock is this machine's")
    },
  },
]

interface Asked {
  id: string
  /** Null when the Worker takes the signature for forged. */
  told: Told | null
  began: number
  took: number
}

/** Asks the Worker by a message that one of the keys has signed, once in a visit. */
function askSigned({ env, once }: Visit, name: (typeof SIGNING_KEYS)[number]): Promise<Asked> {
  return once(`signed with ${name}`, async () => {
    const [id, began] = [randomUUID(), Date.now()]
    const told = await askWorker(env, env[name], id)
    return { id, told, began, took: Date.now() - began }
  })
}

/** Sends a check to the Worker, signed as QStash signs; null when the Worker takes the signature for forged. */
async function askWorker(env: Env, key: string, id: string): Promise<Told | null> {
  const url = env.BASE_URL + DOCTOR_PATH
  const body = JSON.stringify({ id })
  const signature = await new SignJWT({ body: createHash('sha256').update(body).digest('base64url') })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('Upstash')
    .setSubject(url)
    .setIssuedAt()
    .setNotBefore('0 s')
    .setExpirationTime('60 s')
    .sign(new TextEncoder().encode(key))
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', 'Upstash-Signature': signature },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`the Worker responds ${response.status} at ${url}`)
  return (await response.json()) as Told // of our own route
}

function compare(here: Record<string, string>, there: Record<string, string>): Outcome {
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])].sort()
  const off = names.filter((name) => here[name] !== there[name])
  const said = off.map((name) =>
    !(name in there) ? `${name} is missing` : !(name in here) ? `${name} is only there` : `${name} differs`,
  )
  return off.length > 0
    ? wrong(
        `the Worker runs with others than this file: ${said.join(', ')}`,
        `${DEPLOY}; one that is only there goes with npm exec -- wrangler secret delete`,
      )
    : ok('the Worker runs with the settings of this file')
}
