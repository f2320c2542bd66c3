import { randomUUID } from 'node:crypto'
import { parseDuration } from './duration.ts'

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
  method: string
  /** Sent to the destination unchanged. */
  headers: Record<string, string>
  bodyBase64: string
  maxRetries: number
  retried: number
  retryDelayMs: number | null
  due: number
  createdAt: number
  timeoutMs: number
  label: string | null
  flow: Flow | null
  failureCallback: string | null
  /** Publish headers of the failure callback, in `upstash-` form. */
  failureHeaders: Record<string, string>
}

/** A publish request. */
export interface Draft {
  message: Omit<Message, 'id' | 'retried' | 'due' | 'createdAt'>
  delayMs: number
  notBefore: number | null
  deduplicationId: string | null
}

/** A publish request that QStash rejects with 400. */
export class InvalidPublish extends Error {}

const DEFAULT_RETRIES = 3
const MAX_TIMEOUT_MS = 15 * 60_000
const FORWARD = 'upstash-forward-'
const FAILURE = 'upstash-failure-callback-'
/** The form of labels and flow control keys; QStash rejects others. */
const RESOURCE_NAME = /^[\w.-]+$/
/** Features of QStash that the stand-in lacks; rejected, so that nothing depends on them unnoticed. */
const UNSUPPORTED = ['upstash-callback', 'upstash-cron', 'upstash-content-based-deduplication']

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
  for (const name of UNSUPPORTED) {
    if (headers.has(name)) throw new InvalidPublish(`${name} is not part of the local stand-in`)
  }
  const type = headers.get('content-type')
  const failureCallback = headers.get('upstash-failure-callback')
  const failureHeaders = renamed(headers, FAILURE, 'upstash-')
  if (failureCallback !== null) readDraft(failureCallback, new Headers(failureHeaders), Buffer.alloc(0))
  return {
    message: {
      url,
      method: headers.get('upstash-method') ?? 'POST',
      headers: { ...(type === null ? {} : { 'content-type': type }), ...renamed(headers, FORWARD, '') },
      bodyBase64: body.toString('base64'),
      maxRetries: whole(headers, 'upstash-retries') ?? DEFAULT_RETRIES,
      retryDelayMs: whole(headers, 'upstash-retry-delay'),
      timeoutMs: Math.min(MAX_TIMEOUT_MS, duration(headers, 'upstash-timeout') ?? MAX_TIMEOUT_MS),
      label: resourceName(headers, 'upstash-label'),
      flow: readFlow(headers),
      failureCallback,
      failureHeaders,
    },
    delayMs: duration(headers, 'upstash-delay') ?? 0,
    notBefore: seconds(whole(headers, 'upstash-not-before')),
    deduplicationId: headers.get('upstash-deduplication-id'),
  }
}

export function newMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

function readFlow(headers: Headers): Flow | null {
  const key = resourceName(headers, 'upstash-flow-control-key')
  if (key === null) return null
  const parts = (headers.get('upstash-flow-control-value') ?? '').toLowerCase().split(',')
  const values = new Headers(parts.filter((part) => part.includes('=')).map((part) => pair(part)))
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

function resourceName(headers: Headers, name: string): string | null {
  const text = headers.get(name)
  if (text !== null && !RESOURCE_NAME.test(text)) {
    throw new InvalidPublish(`${name}: ${text} may hold letters, digits, hyphens, underscores and dots only`)
  }
  return text
}

function pair(part: string): [string, string] {
  const [name = '', value = ''] = part.split('=')
  return [name.trim(), value.trim()]
}

function renamed(headers: Headers, prefix: string, replacement: string): Record<string, string> {
  const found = [...headers].filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(found.map(([name, value]) => [replacement + name.slice(prefix.length), value]))
}

function whole(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  if (text === null) return null
  if (!/^\d+$/.test(text)) throw new InvalidPublish(`${name}: ${text} is not a whole number`)
  return Number(text)
}

function duration(headers: Headers, name: string): number | null {
  const text = headers.get(name)
  if (text === null) return null
  const ms = parseDuration(text)
  if (ms === null) throw new InvalidPublish(`${name}: ${text} is not a duration such as 30s or 2h`)
  return ms
}

function seconds(value: number | null): number | null {
  return value === null ? null : value * 1000
}
