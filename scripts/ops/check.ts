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

/** What one look has found. */
export type Outcome =
  | { state: 'ok'; said: string }
  | { state: 'wrong'; said: string; todo: string }
  | { state: 'not tried'; said: string }

/** One look at one thing. */
export interface Check {
  part: Part
  /** Names it in one word, as tests and tables do. */
  name: string
  /** Whether it asks the Worker: then it cannot be right before the first deployment. */
  ofWorker?: true
  /** What to do when the look itself fails. */
  todo: string
  run(site: Site & { env: Env }): Promise<Outcome>
}

/** What was found is right. */
export function ok(said: string): Outcome {
  return { state: 'ok', said }
}

/** What was found is wrong, and what to do about it. */
export function wrong(said: string, todo: string): Outcome {
  return { state: 'wrong', said, todo }
}

/** It was not looked, and why. */
export function notTried(said: string): Outcome {
  return { state: 'not tried', said }
}
