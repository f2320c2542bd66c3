import {
  type LogInfo,
  openHead as openLogHead,
  type Head as VerifiedHead,
} from '../../packages/verify/head.ts'
import {
  type CheckpointRejection,
  openCheckpoint,
  type Policy,
  parsePolicy,
} from '../../packages/verify/index.ts'
import { CheckFailed, Inconclusive } from '../../packages/verify/problems.ts'
import type { Service } from '../../packages/verify/service.ts'

const REJECTIONS: Record<CheckpointRejection, string> = {
  malformed: 'the head is not written as it must be',
  unknown_log: 'the head is of another log than the key',
  unsigned: 'the head is not signed by the key of the log',
  bad_signature: 'a signature of the head does not verify',
  too_few_witnesses: 'too few witnesses have seen the head',
}
const MAX_DELAY_MS = 120_000 // the documented maximum, whatever the service states

/** The verified newest head of a log. */
export interface Head extends Omit<VerifiedHead, 'info'> {
  vkeys: string[]
  /** The witnesses that the service names; `time` is when one cosigned this head (Unix seconds), null if it has not. */
  witnesses: { name: string; time: number | null }[]
  /** The maximum time until an event is in the log. */
  delayMs: number
  seenAt: Date
}

/**
 * Fetches the newest head, and verifies its signatures and that its tiles lead to its root.
 *
 * @param pinned the trusted key of the log; if empty, the key that the service names
 * @returns null when the service has no log
 * @throws CheckFailed; Inconclusive
 */
export async function openHead(service: Service, pinned = ''): Promise<Head | null> {
  const seenAt = new Date()
  const times = new Map<string, number>()
  const head = await openLogHead(service, async (note, info) => {
    const policy = await toPolicy(pinned === '' ? info.vkeys : [pinned], info)
    const { checkpoint, reason } = await openCheckpoint(note, policy).catch(explain)
    if (!checkpoint) throw new CheckFailed(REJECTIONS[reason])
    for (const { name, time } of checkpoint.witnesses) times.set(name, time)
    return checkpoint
  })
  if (!head) return null
  const { vkeys, witnesses, merge_delay_seconds } = head.info
  return {
    ...head,
    vkeys,
    witnesses: witnesses.map(({ name }, at) => ({ name, time: times.get(`w${at}`) ?? null })),
    delayMs: Math.min(MAX_DELAY_MS, 1000 * merge_delay_seconds),
    seenAt,
  }
}

async function toPolicy(vkeys: readonly string[], { witnesses }: LogInfo): Promise<Policy> {
  const lines = [
    ...vkeys.map((vkey) => `log ${vkey}`),
    ...witnesses.map(({ vkey }, at) => `witness w${at} ${vkey}`),
    'quorum none',
  ]
  try {
    return await parsePolicy(lines.join('\n'))
  } catch (error) {
    throw new Inconclusive(`A key cannot be read (${error instanceof Error ? error.message : error}).`)
  }
}

function explain(error: unknown): never {
  if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error
  throw new Inconclusive(
    'This browser cannot verify Ed25519 signatures: use Chrome 137, Firefox 129, Safari 17.4, or newer.',
  )
}
