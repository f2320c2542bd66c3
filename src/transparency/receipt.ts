import { sha256 } from '../lib/crypto.ts'
import { signJwt, type TokenKey } from './token.ts'

export const RECEIPT_TYPE = 'agent-event-receipt+jwt'
const DUE_SECONDS = 86_400

/** The fields of an event that a receipt commits to. */
export interface ReceiptEvent {
  id: string
  event_type: string
  severity: string
  metadata: Record<string, unknown>
  /** ISO 8601 in UTC with milliseconds. */
  created_at: string
  source: string
  platform: string | null
}

/** The stored events of one agent, which have consecutive numbers in its log. */
export interface ReceiptPart {
  reg: string
  last_seq: number
  events: readonly [ReceiptEvent, ...ReceiptEvent[]]
}

/**
 * Signs a receipt: the promise that events will be in the log a day later. The same events always have the same claims.
 *
 * @param parts of a report one, of a batch one for each agent
 *
 * Source: docs/use/transparency.md, "Receipts".
 */
export async function signReceipt(
  issuer: string,
  parts: readonly ReceiptPart[],
  isBatch: boolean,
  key: TokenKey,
): Promise<string> {
  const stated = await Promise.all(
    parts.map(async ({ reg, last_seq, events }) => ({
      reg,
      seq: isBatch ? [last_seq - events.length + 1, last_seq] : last_seq,
      event: events[0].id,
      facts: await receiptFacts(isBatch ? events : events[0]),
    })),
  )
  const times = parts.map(({ events: [{ created_at }] }) => Date.parse(created_at))
  const iat = Math.floor(Math.max(...times) / 1000)
  const about = isBatch
    ? {
        reg: stated.map(({ reg }) => reg),
        seq: stated.map(({ seq }) => seq),
        event: stated.map(({ event }) => event),
        facts: stated.map(({ facts }) => facts),
      }
    : stated[0]
  return signJwt(RECEIPT_TYPE, { iss: issuer, iat, ...about, due: iat + DUE_SECONDS }, key)
}

/**
 * The digest of events in a receipt: SHA-256 of their JSON without whitespace, keys in order of UTF-16 code units.
 *
 * @param events one event, or the events of an agent in a batch in order
 * @returns 64 lowercase hexadecimal digits
 *
 * Source: docs/use/transparency.md, "Receipts"; RFC 8785.
 */
export function receiptFacts(events: ReceiptEvent | readonly ReceiptEvent[]): Promise<string> {
  return sha256(canonical('id' in events ? committed(events) : events.map(committed)))
}

function committed({ id, event_type, severity, metadata, created_at, source, platform }: ReceiptEvent) {
  return { id, type: event_type, severity, metadata, created_at, source, platform }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`
}
