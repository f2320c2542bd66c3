import type { Env } from '../../src/env.ts'

/** Where the Worker of an environment is placed, and where that stands. */
export interface Placement {
  region?: unknown
  where: string
}

/** A deployment that is looked at. */
export interface Site {
  /** The settings as they were given: texts by name. */
  given: Readonly<Record<string, string>>
  /** The same, checked by the Worker's own rules; null when they are wrong. */
  env: Env | null
  /** The owner's connection string, which the Worker does not have. */
  ownerUrl: string | undefined
  /** What wrangler would deploy with them; null on a local stack. */
  placement: Placement | null
  /** How long a message may take from QStash to the Worker; 20 s when left out. */
  patienceMs?: number
}

/** The parts of a deployment, in the order in which they are set up. */
export const PARTS = [
  'settings',
  'Postgres',
  'Redis',
  'QStash',
  'sign-in',
  'Stripe',
  'mail',
  'DNS',
  'Worker',
  'log',
] as const

export type Part = (typeof PARTS)[number]

/** What to do when a look at a part itself fails. */
export const LOOK_UP: Readonly<Record<Part, string>> = {
  settings: 'fix them in the file (docs/deploy.md)',
  Postgres: 'check DATABASE_URL: its host at Neon, and the password that db:migrate has set',
  Redis: 'check UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN (not the read-only token)',
  QStash: 'check QSTASH_URL and QSTASH_TOKEN in the Upstash console',
  'sign-in':
    'check OIDC_ISSUER: <issuer>/.well-known/openid-configuration must be reachable from this machine',
  Stripe: 'remove STRIPE_API_URL, and check whether Stripe is reachable from this machine',
  mail: 'check whether the provider is reachable from this machine',
  DNS: 'remove DOH_URL, or set it to a reachable resolver',
  Worker: 'check whether the Worker is deployed at BASE_URL',
  log: 'check whether the Worker is deployed at BASE_URL',
}

/** What one check has found. */
export type Outcome =
  | { state: 'ok'; said: string }
  | { state: 'wrong'; said: string; todo: string }
  | { state: 'not tried'; said: string }

/** Does a piece of work for the first who asks for it by this name; the others are given the same result. */
export type Once = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** A deployment while it is looked at. */
export type Visit = Site & { env: Env; once: Once }

/** One look at one thing. */
export interface Check {
  part: Part
  /** Names it in one word, as tests and tables do. */
  name: string
  /** Whether it asks the Worker: then it cannot be right before the first deployment. */
  ofWorker?: true
  /** What to do when the check itself fails, where LOOK_UP says it for this part alone in general. */
  todo?: string
  run(visit: Visit): Promise<Outcome>
}

/** Begins a visit, in which nothing is asked twice. */
export function startOnce(): Once {
  const requested = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>) => {
    const result = requested.get(name) ?? work()
    requested.set(name, result)
    return result as Promise<T> // of the same name, and so of the same work
  }
}

/** What was found is right. */
export function ok(said: string): Outcome {
  return { state: 'ok', said }
}

/** What was found is wrong, and what to do about it. */
export function wrong(said: string, todo: string): Outcome {
  return { state: 'wrong', said, todo }
}

/** It was not checked, and why. */
export function notTried(said: string): Outcome {
  return { state: 'not tried', said }
}
