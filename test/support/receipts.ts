import { verifyReceipt } from '../../packages/verify/index.ts'
import type { Harness } from './harness.ts'
import { fetchFresh } from './logged.ts'

export const ASK = { Prefer: 'return=receipt' }

/** Reports an event with a receipt. */
export async function reportWithReceipt({ api }: Harness, token: string, reg: string, metadata = {}) {
  const body = { reg, event_type: 'task_completed', metadata }
  const sent = await api('POST', '/activity/report', { token, body, headers: ASK })
  return { id: sent.body.id as string, receipt: sent.body.receipt as string }
}

/** The verdict about a receipt, and the first problem, or what its last check found. */
export async function judgeReceipt(
  { base_url }: Harness,
  receipt: string,
  options: Parameters<typeof verifyReceipt>[2] = {},
) {
  const { verdict, checks } = await verifyReceipt(base_url, receipt, { fetch: fetchFresh, ...options })
  return [verdict, checks.find(({ ok }) => !ok)?.detail ?? checks.at(-1)?.detail]
}
