import {
  type LogInfo,
  openHead as openLogHead,
  type Head as VerifiedHead,
} from '../../packages/verify/head.ts'
import { type Policy, parsePolicy } from '../../packages/verify/index.ts'
import { CannotTell } from '../../packages/verify/problems.ts'
import type { Service } from '../../packages/verify/service.ts'

const MAX_DELAY_MS = 120_000 // what is promised: a service cannot give itself more

/** The newest head of a log, verified. */
export interface Head extends Omit<VerifiedHead, 'info'> {
  vkeys: string[]
  /** Every witness that the service names; `time`: when it saw this head, Unix seconds, null when it has not. */
  witnesses: { name: string; time: number | null }[]
  /** How long an event may take into the log. */
  delayMs: number
  seenAt: Date
}

/**
 * Fetches the newest head and verifies its signatures, and that its tiles lead to its root.
 *
 * @param pinned the key to verify it by; empty: the one that the service names
 * @returns null when the service keeps no log
 * @throws DoesNotHold; CannotTell
 */
export async function openHead(service: Service, pinned = ''): Promise<Head | null> {
  const seenAt = new Date()
  const head = await openLogHead(service, (info) => toPolicy(pinned === '' ? info.vkeys : [pinned], info))
  if (!head) return null
  const { vkeys, witnesses, merge_delay_seconds } = head.info
  const times = new Map(head.checkpoint.witnesses.map(({ name, time }) => [name, time]))
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
    throw new CannotTell(`A key cannot be read (${error instanceof Error ? error.message : error}).`)
  }
}
