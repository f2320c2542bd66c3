import type { Env } from '../../src/env.ts'
import { messageOf } from '../support/message.ts'
import {
  ADVICE,
  type Check,
  notTried,
  type Once,
  type Outcome,
  type Site,
  startOnce,
  wrong,
} from './check.ts'
import { agreementChecks } from './checks/agreement.ts'
import { dnsChecks } from './checks/dns.ts'
import { logChecks } from './checks/log.ts'
import { mailChecks } from './checks/mail.ts'
import { postgresChecks } from './checks/postgres.ts'
import { qstashChecks } from './checks/qstash.ts'
import { redisChecks } from './checks/redis.ts'
import { settingsChecks } from './checks/settings.ts'
import { signInChecks } from './checks/sign-in.ts'
import { stripeChecks } from './checks/stripe.ts'
import { workerChecks } from './checks/worker.ts'

const CHECK_MS = 30_000

/** All checks, in the order in which a deployment is set up. */
export const CHECKS: readonly Check[] = [
  ...settingsChecks,
  ...postgresChecks,
  ...redisChecks,
  ...qstashChecks,
  ...signInChecks,
  ...stripeChecks,
  ...mailChecks,
  ...dnsChecks,
  ...workerChecks,
  ...agreementChecks,
  ...logChecks,
]

/** A check and its outcome. */
export interface Finding {
  check: Check
  outcome: Outcome
}

/**
 * Checks every part of a deployment with the given settings, all in parallel.
 *
 * @param onFinding receives each finding, in the order of the checks
 */
export async function examine(
  site: Site,
  onFinding: (finding: Finding) => void = () => undefined,
  checks = CHECKS,
): Promise<Finding[]> {
  const once = startOnce()
  const all = checks.map((check) => ({ check, outcome: outcomeOf(check, site, once) }))
  const findings: Finding[] = []
  for (const { check, outcome } of all) {
    const finding = { check, outcome: await outcome }
    findings.push(finding)
    onFinding(finding)
  }
  return findings
}

async function outcomeOf(check: Check, site: Site, once: Once): Promise<Outcome> {
  const { env } = site
  const { todo = ADVICE[check.part] } = check
  if (!env && check.name !== 'rules') return notTried('the settings are invalid, see above')
  let late: NodeJS.Timeout | undefined
  const deadline = new Promise<Outcome>((resolve) => {
    late = setTimeout(() => resolve(wrong(`no result within ${CHECK_MS / 1000} s`, todo)), CHECK_MS)
  })
  try {
    return await Promise.race([check.run({ ...site, once, env: env as Env }), deadline]) // only `rules` runs with invalid settings
  } catch (error) {
    return wrong(messageOf(error), todo)
  } finally {
    clearTimeout(late)
  }
}

/** A finding as lines for a terminal: the check, its outcome, and what to do. */
export function toLines({ check, outcome }: Finding): string {
  const head = `${outcome.state.padEnd(9)} ${check.part.padEnd(8)} ${check.name.padEnd(12)} ${outcome.said}`
  return outcome.state === 'wrong' ? `${head}\n${' '.repeat(32)}→ ${outcome.todo}` : head
}
