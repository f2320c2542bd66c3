import type { Env } from '../../../src/env.ts'
import { logSettings } from '../../../src/tlog/settings.ts'
import { type CheckpointRejection, openCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { parsePolicy } from '../../../src/transparency/policy.ts'
import { toJwks } from '../../../src/transparency/token.ts'
import { tokenKeysOf } from '../../../src/verify/token-keys.ts'
import { type Check, notTried, ok, type Visit, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000
const REJECTED: Record<CheckpointRejection, string> = {
  malformed: 'is no checkpoint',
  unknown_log: 'is of another origin than LOG_ORIGIN',
  unsigned: 'is not signed with LOG_KEY',
  bad_signature: 'has a signature that does not verify',
  too_few_witnesses: 'lacks witnesses',
}
const OFF = 'LOG_KEY is not set: there is no log'
const NO_HEAD = 'no head was signed yet: the first comes within a minute of the first cron'

/** The transparency log and the keys of verification tokens, as others find them. */
export const logChecks: Check[] = [
  {
    part: 'log',
    name: 'head',
    ofWorker: true,
    todo: 'make LOG_KEY by npm run -s admin -- log-key <LOG_ORIGIN>',
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
            'give the Worker the LOG_KEY and LOG_ORIGIN of this log; neither may be lost or changed',
          )
        : ok('the head that is served is signed with LOG_KEY')
    },
  },
  {
    part: 'log',
    name: 'witnesses',
    ofWorker: true,
    todo: 'mend LOG_WITNESSES: lines "witness <name> <vkey> <url>"',
    async run(visit) {
      const policy = await policyOf(visit.env)
      if (!policy) return notTried(OFF)
      if (policy.witnesses.length === 0)
        return notTried('LOG_WITNESSES names none: a head is your word alone')
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
            'ask its operator whether it takes this log (LOG_ORIGIN and its vkey); the log line tlog_witness_silent says more',
          )
        : ok(`${checkpoint.witnesses.length} have cosigned the newest head`)
    },
  },
  {
    part: 'log',
    name: 'tokens',
    ofWorker: true,
    async run({ env }) {
      if (env.TOKEN_KEYS.length === 0) return notTried('TOKEN_KEYS is not set: no tokens are signed')
      const url = `${env.BASE_URL}/.well-known/jwks.json`
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      const { keys = [] } = (await response.json().catch(() => ({}))) as { keys?: { kid?: string }[] }
      const lacks = toJwks(await tokenKeysOf(env)).keys.filter(
        ({ kid }) => !keys.some((key) => key.kid === kid),
      )
      return lacks.length > 0
        ? wrong(`${url} lacks ${lacks.length} of TOKEN_KEYS`, 'give the Worker the TOKEN_KEYS of this file')
        : ok('every key of TOKEN_KEYS is published')
    },
  },
]

async function policyOf(env: Env) {
  const settings = await logSettings(env)
  if (!settings) return null
  const policy = await parsePolicy(`${env.LOG_WITNESSES ?? ''}\nquorum none`)
  return { ...policy, logs: settings.signers.map(({ verifier }) => verifier) }
}

function findHead({ env, once }: Visit): Promise<string | null> {
  return once('head', () => askHead(env))
}

async function askHead({ BASE_URL }: Env): Promise<string | null> {
  const url = `${BASE_URL}/log/checkpoint`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${url} responds ${response.status}`)
  return response.text()
}
