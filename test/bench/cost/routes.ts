import type { ApiDocument, Route } from '../../support/document.ts'
import { type ApiResponse, freshIp, type Harness } from '../../support/harness.ts'
import { accessOf, rightfulCaller } from '../../support/rightful.ts'
import { type Meter, QUIET_AFTER_KEYS_MS, type Work } from './meter.ts'
import type { Usage } from './prices.ts'

/** Each reader makes ten requests per minute from one IP address; each writer, one. */
const CALLS_EACH = 10
const READERS = 6
const WRITERS = 8
const WARMING = 2
const BATCH = 1_000
/** Writes of which one caller sends many. */
const REPEATED = ['POST /activity/report', 'POST /activity/report/batch']

/** The usage of one call. */
export interface Line {
  name: string
  usage: Usage
}

type Call = () => Promise<ApiResponse>

/** Calls every route of the document, each after a warm-up. */
export async function measureRoutes(
  h: Harness,
  meter: Meter,
  regs: readonly string[],
  say: (line: string) => void,
): Promise<Line[]> {
  const document = await h.openApi()
  const lines: Line[] = []
  for (const route of document.routes) {
    say(route.name)
    const each = route.method === 'GET' || REPEATED.includes(route.name) ? CALLS_EACH : 1
    const callers = each === 1 ? WRITERS : READERS
    const prepare = async (count: number) => {
      const calls = await Promise.all(
        Array.from({ length: count }, (_, n) => callOf(h, document, route, regs[n % regs.length])),
      )
      return calls.flatMap((call) => Array<Call>(isOnce(route) ? 1 : each).fill(call))
    }
    await run(await prepare(WARMING))
    const calls = await prepare(callers)
    const usage = await meter.measure(() => run(calls), takesKey(route) ? QUIET_AFTER_KEYS_MS : undefined)
    lines.push({ name: route.name, usage: perCall(usage, calls.length) })
  }
  return [...lines, await measureBatch(h, meter)]
}

function takesKey(route: Route): boolean {
  const { session, key } = accessOf(route)
  return key && !session
}

const isOnce = ({ path }: Route) => path === '/auth/callback'

/** A call that can be repeated as often as the measurement of its route requires. */
async function callOf(h: Harness, document: ApiDocument, route: Route, reg = ''): Promise<Call> {
  const ip = freshIp()
  if (isOnce(route)) {
    const { path, cookie } = await h.walkToCallback()
    return () => h.api('GET', path, { ip, headers: { Cookie: cookie } })
  }
  if (accessOf(route).optional) {
    const path = route.path.includes('{reg}')
      ? route.path.replace('{reg}', reg)
      : (await rightfulCaller(h, document, route)).path
    return () => h.api(route.method, path, { ip })
  }
  const caller = await rightfulCaller(h, document, route)
  await caller.ready()
  return () => caller.call(caller.path, { ip, ...(caller.sample && { body: caller.sample }) })
}

async function measureBatch(h: Harness, meter: Meter): Promise<Line> {
  const { key, reg } = await h.newReporter({ tier: 'enterprise' })
  const events = Array.from({ length: BATCH }, () => ({
    reg,
    event_type: 'task_completed',
    metadata: { response_ms: 1500, quality: 0.95 },
  }))
  const calls = Array<Call>(CALLS_EACH).fill(() =>
    h.api('POST', '/activity/report/batch', { token: key, body: { events } }),
  )
  await run(calls.slice(0, 2))
  const usage = perCall(await meter.measure(() => run(calls), QUIET_AFTER_KEYS_MS), calls.length)
  return { name: 'POST /activity/report/batch, 1,000 events', usage }
}

/** Makes calls one after the other. */
export async function run(calls: readonly Call[]): Promise<Work> {
  let bytes = 0
  for (const call of calls) {
    const response = await call()
    if (response.status >= 400) throw new Error(`a measured call: ${response.status} ${response.text}`)
    bytes += sizeOf(response)
  }
  return { requests: calls.length, bytes }
}

/** Bytes of a response as HTTP/1.1 writes them, without compression. */
function sizeOf({ headers, text }: ApiResponse): number {
  const lines = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
  return lines + 'HTTP/1.1 200 OK\r\n\r\n'.length + Buffer.byteLength(text)
}

export const perCall = (usage: Usage, calls: number) => changed(usage, (value) => value / calls)

export function changed(usage: Usage, change: (value: number, name: keyof Usage) => number): Usage {
  const values = Object.entries(usage).map(([name, value]) => [name, change(value, name as keyof Usage)])
  return Object.fromEntries(values) as Record<keyof Usage, number>
}
