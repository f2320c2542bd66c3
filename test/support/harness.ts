import { randomInt, randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { signIn, walk } from '../../local/sign-in.ts'
import { TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { LOG_FILE, type startWorker } from '../../local/worker.ts'
import { administer } from '../../scripts/admin.ts'
import { readStackFile, type StackFile } from '../../scripts/support/stack-file.ts'
import type { Tier } from '../../src/db/enums.ts'
import { API, type ApiDocument, fetchDocument } from './document.ts'
import { type Operator, openSession } from './operator.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import type { TestStackOptions } from './stack.ts'
import { startVariant } from './variant.ts'

/** A parsed JSON body, which `api` has validated against the schema of its route. */
// biome-ignore lint/suspicious/noExplicitAny: tests read fields of any route's response
export type Body = any

export interface ApiResponse {
  status: number
  headers: Headers
  body: Body
  text: string
}

export interface Call {
  token?: string
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
  /** The caller's IP address; default: a new one. */
  ip?: string
  /** The request's time (X-Test-Now). */
  now?: Date
}

export type Harness = ReturnType<typeof connect>

const documents = new Map<string, Promise<ApiDocument>>() // compiled once for all files in a worker

/** Connects to the stack that all black-box tests share. */
export function shared(): Harness {
  const dir = inject('stack_dir')
  return connect(dir, readStackFile(dir))
}

/** Starts a separate stack, to stop, delay or observe: `await using own = await ownStack()` or `own.stop()`. */
export async function ownStack(options: TestStackOptions = {}) {
  const { startTestStack } = await import('./stack.ts') // slow to load, and rarely needed
  const stack = await startTestStack(options)
  const harness = connect(stack.dir, stack)
  const stop = async () => {
    await harness.end()
    await stack.stop()
  }
  return { ...harness, stack, stop, [Symbol.asyncDispose]: stop }
}

/** A new IP address, which the limiter counts separately. */
export const freshIp = () => `10.${randomInt(1, 256)}.${randomInt(256)}.${randomInt(1, 255)}`

/** An email address that has never signed in. */
export const freshEmail = () => `${randomUUID()}@example.com`

/** A slug that no platform has. */
export const freshSlug = () => `p-${randomUUID()}`

/**
 * The operations of tests on a stack.
 *
 * @param dir folder of the stack
 * @param at URLs of its parts
 */
export function connect(dir: string, at: StackFile) {
  const { base_url: baseUrl, mailbox_url: mailboxUrl, database_url: databaseUrl } = at
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, allowExitOnIdle: true })
  pool.on('error', () => undefined)

  const openApi = (): Promise<ApiDocument> => {
    const known = documents.get(baseUrl) ?? fetchDocument(baseUrl)
    documents.set(baseUrl, known)
    return known
  }

  /**
   * Calls the API, and validates the response against the OpenAPI document.
   *
   * @param path below /api/v1, or below the root with a leading `//` (`//health`)
   */
  async function api(method: string, path: string, call: Call = {}, base = baseUrl): Promise<ApiResponse> {
    const { token, body, ip = freshIp(), now } = call
    const headers = new Headers({ 'CF-Connecting-IP': ip })
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    if (now) headers.set('X-Test-Now', now.toISOString())
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
    const outside = path.startsWith('//')
    const response = await fetch(outside ? base + path.slice(1) : base + API + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const reply = {
      status: response.status,
      headers: response.headers,
      body: type.startsWith('application/json') && text !== '' ? JSON.parse(text) : undefined,
      text,
    }
    if (!outside) {
      const document = await openApi()
      if (reply.status !== 503 && !reply.headers.has('x-ratelimit-limit')) {
        throw new Error(`${method} ${path}: a response of ${reply.status} without rate-limit headers`)
      }
      const isKept = reply.status === 200 && !reply.headers.get('cache-control')?.includes('private')
      if (isKept && !reply.headers.has('etag') && document.promisesEtag(method, path)) {
        throw new Error(`${method} ${path}: a response without its ETag`)
      }
      const breach = document.breach(method, path, reply.status, type, text)
      if (breach) throw new Error(`${method} ${path}: ${breach}\n${reply.status} ${text}`)
    }
    if (reply.status === 500) throw new Error(`${method} ${path}: 500 ${text}; see ${dir}/${LOG_FILE}`)
    return reply
  }

  /** Runs SQL as the owner of the database. */
  async function sql(text: string, values: unknown[] = []): Promise<Body[]> {
    return (await pool.query(text, values)).rows
  }

  /** Creates an operator with a session, or one more session of the operator with this email address. */
  async function newOperator(options: { tier?: Tier; email?: string; now?: Date } = {}): Promise<Operator> {
    const { tier, email = freshEmail(), now = new Date() } = options
    const operator = await openSession(dir, at, email, now)
    if (tier) await admin('tier', email, tier)
    return operator
  }

  /** Signs in with all steps: Worker, provider, mailbox, link, callback. */
  async function signInByMail(email = freshEmail(), now?: Date): Promise<Operator> {
    const headers: Record<string, string> = now ? { 'X-Test-Now': now.toISOString() } : {}
    const { session_token: token, operator } = await signIn({ baseUrl, mailboxUrl, email, headers })
    const { id } = operator as { id: string }
    return { id, email, token }
  }

  async function created(path: string, token: string, body: unknown, now?: Date): Promise<Body> {
    const reply = await api('POST', path, { token, body, ...(now && { now }) })
    if (reply.status !== 201) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`)
    return reply.body
  }

  /** Registers an agent; returns the response. */
  const newAgent = (owner: Operator, fields: object = {}, now?: Date) =>
    created('/agents', owner.token, { name: 'Scout', class: 'A', ...fields }, now)

  /** Creates an API key; returns it with its full text in `key`. */
  const newKey = (owner: Operator, permissions = ['activity:report'], fields: object = {}, now?: Date) =>
    created('/operators/me/api-keys', owner.token, { name: 'a key', permissions, ...fields }, now)

  /** Registers a platform; returns it with its webhook secret. */
  const newPlatform = (owner: Operator, fields: object = {}, now?: Date) =>
    created('/platforms', owner.token, { slug: freshSlug(), name: 'Platform', ...fields }, now)

  /** Creates a key of a platform; returns it with its full text in `key`. */
  const newPlatformKey = (
    owner: Operator,
    slug: string,
    permissions = ['read', 'activity:report'],
    now?: Date,
  ) => created(`/platforms/${slug}/api-keys`, owner.token, { name: 'market', permissions }, now)

  /** Creates an operator with an agent, with these fields, and a key that may report. */
  async function newReporter(options: Parameters<typeof newOperator>[0] & { agent?: object } = {}) {
    const { agent: fields, now } = options
    const operator = await newOperator(options)
    const [agent, key] = await Promise.all([
      newAgent(operator, fields, now),
      newKey(operator, undefined, {}, now),
    ])
    return { operator, agent, reg: agent.reg as string, key: key.key as string }
  }

  /** Reports an event, expecting 201; returns the event. */
  const report = (key: string, reg: string, fields: object = {}, now?: Date) =>
    created('/activity/report', key, { reg, event_type: 'task_completed', ...fields }, now)

  /** Reports events as one batch, expecting that all are stored; returns them. */
  const reportBatch = async (key: string, events: readonly object[], now?: Date): Promise<Body[]> =>
    (await created('/activity/report/batch', key, { events }, now)).data.map(({ event }: Body) => event)

  /** The log lines of all Workers of the stack. */
  const workerLogs = () =>
    globSync(`**/${LOG_FILE}`, { cwd: dir })
      .map((file) => readFileSync(join(dir, file), 'utf8'))
      .join('')

  /** Runs a command of `npm run -s admin`. */
  const admin = (...args: string[]) => administer(() => databaseUrl, args)

  const suspend = ({ email }: Operator) => admin('suspend', email)

  /** Runs the scheduled jobs as of a time. */
  const cron = (now = new Date()) => runCron(baseUrl, now)

  /** Starts another Worker on the same stack with other settings; its `api` calls it. */
  async function variant(changes: Record<string, string | undefined>, run?: typeof startWorker) {
    const worker = await startVariant(dir, changes, run)
    return {
      api: (method: string, path: string, call?: Call) => api(method, path, call, worker.url),
      url: worker.url,
      /** Its log lines with this name. */
      logged: (name: string): Body[] =>
        readFileSync(join(worker.dir, LOG_FILE), 'utf8')
          .split('\n')
          .filter((line) => line.includes(`"${name}"`))
          .map((line) => JSON.parse(line.slice(line.indexOf('{')))),
      stop: worker.stop,
      [Symbol.asyncDispose]: worker.stop,
    }
  }

  /**
   * Makes all steps of a sign-in before the callback.
   *
   * @returns the callback's path below /api/v1, and the cookie
   */
  async function walkToCallback(
    email = freshEmail(),
    beginning = `${API}/auth/sign-in?email=${encodeURIComponent(email)}`,
  ): Promise<{ path: string; cookie: string }> {
    const isCallback = ({ pathname }: URL) => pathname === `${API}/auth/callback`
    const { url, cookies } = await walk({ baseUrl, mailboxUrl, email }, beginning, isCallback)
    return { path: url.href.slice(`${baseUrl}${API}`.length), cookie: cookies(url) }
  }

  return {
    ...at,
    dir,
    api,
    sql,
    openApi,
    newOperator,
    signInByMail,
    newAgent,
    newKey,
    newPlatform,
    newPlatformKey,
    newReporter,
    report,
    reportBatch,
    workerLogs,
    admin,
    suspend,
    cron,
    variant,
    walkToCallback,
    qstash: qstashControl(at.qstash_url),
    end: () => pool.end(),
  }
}

/** The controls of the QStash stand-in over HTTP (local/stand-ins/qstash/control.ts). */
export function qstashControl(url: string) {
  const ask = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await fetch(`${url}/-/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} /-/${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  return {
    setClock: (setting: { mode: 'virtual'; now?: string } | { mode: 'real' }) =>
      ask('POST', 'clock', setting),
    clock: (): Promise<{ mode: string; now: string }> => ask('GET', 'clock'),
    advance: (ms: number): Promise<{ now: string; delivered: number }> =>
      ask('POST', 'clock/advance', { ms }),
    runUntilIdle: (options: { limitMs?: number; atLeast?: number } = {}): Promise<{ delivered: number }> =>
      ask('POST', 'run-until-idle', options),
    messages: (): Promise<Body[]> => ask('GET', 'messages'),
    setFaults: (faults: Record<string, boolean | number>) => ask('POST', 'faults', faults),
    clearFaults: () => ask('DELETE', 'faults'),
    clear: () =>
      fetch(`${url}/v2/messages`, { method: 'DELETE', headers: { Authorization: `Bearer ${TOKEN}` } }),
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

/** Expects an error with this code, its status, and a matching message. */
export function expectError(reply: ApiResponse, status: number, code: string, message: RegExp = /./): void {
  expect({ status: reply.status, body: reply.body }).toEqual({
    status,
    body: { error: { code, status, message: expect.stringMatching(message) } },
  })
}

export { type Operator, type Receiver, startReceiver }
