import { readFileSync } from 'node:fs'
import { type Policy, parsePolicy, parseVerifierKey, type VerifierKey } from '../../packages/verify/index.ts'
import type { State } from './state.ts'

const NO_WITNESSES = 'quorum none'

/** The keys whose signatures count. */
export interface Trusted {
  policy: Policy
  /** The source of the log's keys: the command line, an earlier run, or the service itself. */
  by: 'command' | 'state' | 'first use'
}

/**
 * Reads a trust policy (C2SP tlog-policy); without a file, no witness is required.
 *
 * @throws Error that names the file and the problem
 */
export async function readPolicy(file: string | undefined): Promise<Policy> {
  try {
    return await parsePolicy(file === undefined ? NO_WITNESSES : readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/**
 * Chooses the keys of the log: from the command line, else from its policy, else from the state file, else, only in the
 * first run, from the service itself.
 *
 * @throws Error for a text that is not the verifier key of a log
 */
export async function chooseKeys(
  given: { vkey?: string | undefined; policy: Policy },
  state: State | null,
  named: readonly string[],
): Promise<Trusted> {
  if (given.vkey !== undefined) return trust(given.policy, [given.vkey], 'command')
  if (given.policy.logs.length > 0) return { policy: given.policy, by: 'command' }
  return state ? trust(given.policy, state.vkeys, 'state') : trust(given.policy, named, 'first use')
}

async function trust(policy: Policy, vkeys: readonly string[], by: Trusted['by']): Promise<Trusted> {
  const logs: VerifierKey[] = []
  for (const vkey of vkeys) {
    const key = await parseVerifierKey(vkey)
    if (key?.type !== 1) throw new Error(`'${vkey}' is not the verifier key of a log${hintOf(key)}`)
    logs.push(key)
  }
  return { policy: { ...policy, logs }, by }
}

function hintOf(key: VerifierKey | null): string {
  return key
    ? ': it is the key of a witness'
    : ', which looks like registry.example/log+dd961605+Aeq6…: a name, 8 hex digits, and base64; is it complete?'
}
