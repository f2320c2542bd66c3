import { type Head as LogHead, type LogInfo, openHead as openLogHead } from '../../packages/verify/head.ts'
import { type Policy, parsePolicy } from '../../packages/verify/index.ts'
import { CannotTell } from '../../packages/verify/problems.ts'
import type { Service } from '../../packages/verify/service.ts'

/** The newest head of a log, verified. */
export interface Head extends Omit<LogHead, 'witnesses'> {
  /** Every witness that the service names; `time`: when it saw this head, Unix seconds, null when it has not. */
  witnesses: { name: string; time: number | null }[]
}

/**
 * Fetches the newest head and verifies its signatures, and that its tiles lead to its root.
 *
 * @param pinned the key to verify it by; empty: the one that the service names
 * @returns null when the service keeps no log
 * @throws DoesNotHold; CannotTell
 */
export async function openHead(service: Service, pinned = ''): Promise<Head | null> {
  const head = await openLogHead(service, (info) => toPolicy(pinned === '' ? info.vkeys : [pinned], info))
  if (!head) return null
  const times = new Map(head.checkpoint.witnesses.map(({ name, time }) => [name, time]))
  const witnesses = head.witnesses.map(({ name }, at) => ({ name, time: times.get(`w${at}`) ?? null }))
  return { ...head, witnesses }
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
