import type { Env } from '../../../src/env.ts'
import { logSettings } from '../../../src/tlog/settings.ts'
import { type CheckpointRejection, openCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { parsePolicy } from '../../../src/transparency/policy.ts'
import { checksOf, notTried, ok, type Visit, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000
const REJECTED: Record<CheckpointRejection, string> = {
  malformed: 'is not a checkpoint',
  unknown_log: 'has another origin than LOG_ORIGIN',
  unsigned: 'is not signed with LOG_KEY',
  bad_signature: 'has a signature that does not verify',
  too_few_witnesses: 'does not have enough cosignatures of witnesses',
}
const OFF = 'LOG_KEY is not set: there is no log'
const NO_HEAD = 'no head was signed yet: the cron signs the first one within a minute'

/** The published transparency log. */
export const logChecks = checksOf('log', [
  {
    name: 'head',
    todo: 'create LOG_KEY with npm run -s admin -- log-key <LOG_ORIGIN>',
    async run(visit) {
      const { env } = visit
      const policy = await policyOf(env)
      if (!policy) return notTried(OFF)
      const head = await findHead(visit)
      if (head === null) return notTried(NO_HEAD)
      const { reason } = await openCheckpoint(head, policy)
      return reason
        ? wrong(
            `the head at ${env.BASE_URL}/log/checkpoint ${REJECTED[reason]}`,
            'set LOG_KEY and LOG_ORIGIN of this log for the Worker; neither may be lost or changed',
          )
        : ok('the served head is signed with LOG_KEY')
    },
  },
  {
    name: 'witnesses',
    todo: 'fix LOG_WITNESSES: lines "witness <name> <vkey> <url>"',
    async run(visit) {
      const policy = await policyOf(visit.env)
      if (!policy) return notTried(OFF)
      if (policy.witnesses.length === 0)
        return notTried('LOG_WITNESSES names no witness: a head is only your own statement')
      const head = await findHead(visit)
      if (head === null) return notTried(NO_HEAD)
      const { checkpoint, reason } = await openCheckpoint(head, policy)
      if (reason) return wrong(`the head ${REJECTED[reason]}`, 'see the line above')
      const silent = policy.witnesses.filter(
        ({ name }) => !checkpoint.witnesses.some((seen) => seen.name === name),
      )
      return silent.length > 0
        ? wrong(
            `${silent.map(({ name }) => name).join(', ')} did not cosign the newest head`,
            'ask its operator whether it accepts this log (LOG_ORIGIN and its vkey); for details, see the log line tlog_witness_silent',
          )
        : ok(`witnesses that cosigned the newest head: ${checkpoint.witnesses.length}`)
    },
  },
])

async function policyOf(env: Env) {
  const settings = await logSettings(env)
  if (!settings) return null
  const policy = await parsePolicy(`${env.LOG_WITNESSES ?? ''}\nquorum none`)
  return { ...policy, logs: settings.signers.map(({ verifier }) => verifier) }
}

/** Requests the newest head, once per run; null if there is none. */
function findHead({ env, once }: Visit): Promise<string | null> {
  const url = `${env.BASE_URL}/log/checkpoint`
  return once('head', async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.status === 404) return null
    if (!response.ok) throw new Error(`${url} returned ${response.status}`)
    return response.text()
  })
}
