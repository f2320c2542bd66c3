import type { Env } from '../../src/env.ts'

/** The placement of the Worker of an environment, and where it is configured. */
export interface Placement {
  region?: unknown
  where: string
}

/** A deployment to check. */
export interface Site {
  /** The settings as text, by name. */
  given: Readonly<Record<string, string>>
  /** The settings, parsed by the Worker's rules; null if they are invalid. */
  env: Env | null
  /** The owner's connection string, which the Worker does not have. */
  ownerUrl: string | undefined
  /** The placement that wrangler would deploy; null on a local stack. */
  placement: Placement | null
  /** Maximum time of a message from QStash to the Worker; default: 20 s. */
  patienceMs?: number
}

/** The parts of a deployment, and what to do when a check of one cannot be completed. */
export const ADVICE = {
  settings: 'fix them in the file (docs/operate/deploy.md)',
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
} as const

type Part = keyof typeof ADVICE

/** The result of a check. */
export type Outcome =
  | { state: 'ok'; said: string }
  | { state: 'wrong'; said: string; todo: string }
  | { state: 'not tried'; said: string }

/** Runs work once per name, and returns the same result to later callers. */
export type Once = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** A deployment during the checks. */
export type Visit = Site & { env: Env; once: Once }

/** One check of one thing. */
export interface Check {
  part: Part
  /** One word, for tests and tables. */
  name: string
  /** Whether it sends requests to the Worker, so that it fails before the first deployment; true for all of Worker and log. */
  ofWorker?: boolean
  /** What to do when the check cannot be completed; default: ADVICE of its part. */
  todo?: string
  run(visit: Visit): Promise<Outcome>
}

/** The checks of a part. */
export function checksOf(part: Part, checks: readonly Omit<Check, 'part'>[]): Check[] {
  const ofWorker = part === 'Worker' || part === 'log'
  return checks.map((check) => ({ part, ofWorker, ...check }))
}

/** Starts a cache for one run, in which nothing is requested twice. */
export function startOnce(): Once {
  const requested = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>) => {
    const result = requested.get(name) ?? work()
    requested.set(name, result)
    return result as Promise<T> // the same name means the same work, and so the same type
  }
}

/** The check succeeded. */
export function ok(said: string): Outcome {
  return { state: 'ok', said }
}

/** The check failed, with what to do about it. */
export function wrong(said: string, todo: string): Outcome {
  return { state: 'wrong', said, todo }
}

/** The check was skipped, and why. */
export function notTried(said: string): Outcome {
  return { state: 'not tried', said }
}
