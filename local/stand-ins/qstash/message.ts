import { randomUUID } from 'node:crypto'

/** A limit on the messages that share a key. */
export interface Flow {
  key: string
  parallelism: number | null
  rate: number | null
  periodMs: number
}

/** A stored message; times in ms on the queue's clock. */
export interface Message {
  id: string
  url: string
  /** Sent to the destination unchanged. */
  headers: Record<string, string>
  bodyBase64: string
  maxRetries: number
  retried: number
  due: number
  createdAt: number
  timeoutMs: number
  flow: Flow | null
  failureCallback: string | null
}

/** A publish request. */
export interface Draft {
  message: Omit<Message, 'id' | 'retried' | 'due' | 'createdAt'>
  /** Unix time in seconds; null is now. */
  notBefore: number | null
  deduplicationId: string | null
}

/** A publish request that QStash rejects with 400. */
export class InvalidPublish extends Error {}

const DEFAULT_RETRIES = 3
const MAX_TIMEOUT_MS = 15 * 60_000
/** The form of labels and flow control keys; QStash rejects others. */
const RESOURCE_NAME = /^[\w.-]+$/

/**
 * Reads a publish request.
 *
 * @param url destination, raw
 * @param headers headers of the publish request or the batch item
 * @param body raw body
 * @throws InvalidPublish
 *
 * Source: QStash documentation, "Publish a message".
 */
export function readDraft(url: string, headers: Headers, body: Buffer): Draft {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new InvalidPublish('invalid destination url: endpoint has invalid scheme, add http:// or https://')
  }
  const type = headers.get('content-type')
  const failureCallback = headers.get('upstash-failure-callback')
  if (failureCallback !== null) readDraft(failureCallback, new Headers(), Buffer.alloc(0))
  requireResourceName(headers, 'upstash-label')
  return {
    message: {
      url,
      headers: type === null ? {} : { 'content-type': type },
      bodyBase64: body.toString('base64'),
      maxRetries: whole(headers, 'upstash-retries') ?? DEFAULT_RETRIES,
      timeoutMs: Math.min(MAX_TIMEOUT_MS, duration(headers, 'upstash-timeout') ?? MAX_TIMEOUT_MS),
      flow: readFlow(headers),
      failureCallback,
    },
    notBefore: whole(headers, 'upstash-not-before'),
    deduplicationId: headers.get('upstash-deduplication-id'),
  }
}

export function newMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

function readFlow(headers: Headers): Flow | null {
  const key = headers.get('upstash-flow-control-key')
  if (key === null) return null
  requireResourceName(headers, 'upstash-flow-control-key')
  const parts = (headers.get('upstash-flow-control-value') ?? '').toLowerCase().split(',')
  const values = new Headers(parts.map((part) => part.trim().split('=', 2) as [string, string]))
  const flow = {
    key,
    parallelism: whole(values, 'parallelism'),
    rate: whole(values, 'rate'),
    periodMs: duration(values, 'period') ?? 1000,
  }
  if (!flow.parallelism && !flow.rate) {
    throw new InvalidPublish('upstash-flow-control-value: parallelism or rate must be given, and positive')
  }
  return flow
}

function requireResourceName(headers: Headers, name: string): void {
  const text = headers.get(name)
  if (text !== null && !RESOURCE_NAME.test(text)) {
    throw new InvalidPublish(`${name}: ${text} may hold letters, digits, hyphens, underscores and dots only`)
  }
}

function whole(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  if (text === null) return null
  if (!/^\d+$/.test(text)) throw new InvalidPublish(`${name}: ${text} is not a whole number`)
  return Number(text)
}

/** Milliseconds of a duration in seconds; QStash also reads other units, which the registry does not send. */
function duration(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  if (text === null) return null
  if (!/^\d+s$/.test(text)) throw new InvalidPublish(`${name}: ${text} is not a duration such as 30s`)
  return 1000 * Number.parseInt(text, 10)
}
