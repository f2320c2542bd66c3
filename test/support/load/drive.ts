import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { startClients } from './clients.ts'
import { middle } from './figures.ts'

/** A load for one process: its duration and concurrency. */
export interface Load {
  base: string
  /** Paths, used in turn. */
  paths: readonly string[]
  /** Credentials, used in turn; empty for requests without a credential. */
  tokens: readonly string[]
  /** JSON bodies of POST requests that create something, used in turn; empty for GET requests. */
  bodies: readonly string[]
  /** How many requests each caller makes; default: one. */
  each?: number
  concurrency: number
  warmUpMs: number
  durationMs: number
}

export interface Timed {
  /** The number of all requests, including the warm-up. */
  requests: number
  requests_per_second: number
  p50_ms: number
  p99_ms: number
}

const SOCKET_TIMEOUT_MS = 10_000

let callers = 0

/**
 * Sends a load, and measures the responses.
 *
 * @throws Error at the first response with another status
 */
export async function drive(load: Load): Promise<Timed> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.concurrency })
  const began = performance.now()
  const from = began + load.warmUpMs
  const until = from + load.durationMs
  const times: number[] = []
  const { each = 1, concurrency } = load
  const ofGroup = concurrency * each
  callers = Math.ceil(callers / ofGroup) * ofGroup // those of another load have made requests of their own
  const first = callers
  const step = async () => {
    const start = performance.now()
    await send(load, agent, callers++)
    const end = performance.now()
    // Includes requests that started during the warm-up: few slow requests both start and end within the time.
    if (end >= from && end <= until) times.push(end - start)
  }
  await startClients(concurrency, step, { isOver: () => performance.now() >= until }).over
  agent.destroy()
  return {
    requests: callers - first,
    requests_per_second: times.length / (load.durationMs / 1000),
    p50_ms: middle(times),
    p99_ms: middle(times, 0.99),
  }
}

/** Each caller has its own address. As many callers as concurrent requests are active, until each has sent its requests. */
function address(n: number, each: number, atOnce: number): string {
  const caller = each === 1 ? n : atOnce * Math.floor(n / (atOnce * each)) + (n % atOnce)
  return `${10 + (each & 63)}.${(caller >> 16) & 255}.${(caller >> 8) & 255}.${caller & 255}`
}

function send(
  { base, paths, tokens, bodies, each = 1, concurrency }: Load,
  agent: Agent,
  n: number,
): Promise<void> {
  const token = tokens[n % tokens.length]
  const body = bodies[n % bodies.length]
  return new Promise((resolve, reject) => {
    const call = request(base + paths[n % paths.length], {
      method: body ? 'POST' : 'GET',
      agent,
      timeout: SOCKET_TIMEOUT_MS,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
        'CF-Connecting-IP': address(n, each, concurrency),
      },
    })
    call.on('error', reject)
    call.on('timeout', () => call.destroy(new Error('no response in time')))
    call.on('response', (response) => {
      if (response.statusCode === (body ? 201 : 200)) {
        response.resume().on('end', resolve).on('error', reject)
      } else {
        text(response).then(
          (said) => reject(new Error(`${call.method} ${call.path}: ${response.statusCode} ${said}`)),
          reject,
        )
      }
    })
    call.end(body)
  })
}

if (import.meta.main) {
  process.on('message', (load: Load) => {
    drive(load).then(
      (measured) => process.send?.(measured),
      (error: Error) => process.send?.({ error: error.message }),
    )
  })
}
