import { createHash } from 'node:crypto'
import { z } from 'zod'

/** A Redis command: its name, then its arguments. */
export type Command = string[]

/**
 * The result of a command: the reply of Redis, or an error message. Strings may be bytes, and a hash may be an object,
 * depending on the client.
 */
export type Outcome = { reply: unknown } | { error: string }

/**
 * Runs commands in order and returns one outcome for each; with `atomic`, in one transaction. Rejects with a
 * `ReplyError` when Redis discards the transaction, and with any other error when Redis cannot be reached.
 */
export type Engine = (commands: Command[], atomic: boolean) => Promise<Outcome[]>

/** The Redis behind the REST protocol. */
export interface Backend {
  engine: 'server' | 'mock' | 'url'
  run: Engine
  /** Resolves with a message if it exits on its own. */
  lost: Promise<string>
  stop(): Promise<void>
}

const commandBody = z.array(z.union([z.string(), z.number(), z.boolean()]).transform(String)).min(1)
const pipelineBody = z.array(commandBody).min(1)

/**
 * The Upstash REST protocol in front of an engine, as a fetch handler.
 *
 * @param engine where the commands run
 * @param token the bearer token that every request must carry
 * @returns a handler for `POST /` and `/multi-exec`
 *
 * Source: https://upstash.com/docs/redis/features/restapi
 */
export function upstashRest(engine: Engine, token: string): (request: Request) => Promise<Response> {
  const prepare = scriptStore()

  async function run(commands: Command[], atomic: boolean): Promise<Outcome[]> {
    const steps = commands.map(prepare)
    const runnable = steps.filter((step) => Array.isArray(step))
    const outcomes = runnable.length > 0 ? await engine(runnable, atomic) : []
    return steps.map((step) => (Array.isArray(step) ? (outcomes.shift() ?? { error: 'ERR no reply' }) : step))
  }

  return async (request) => {
    const base64 = request.headers.get('upstash-encoding') === 'base64'
    const respond = (body: unknown, status = 200) => Response.json(body, { status })

    if (request.headers.get('authorization') !== `Bearer ${token}`) {
      return respond({ error: 'WRONGPASS invalid or missing auth token' }, 401)
    }
    const { pathname } = new URL(request.url)
    const single = pathname === '/'
    const atomic = pathname === '/multi-exec'
    if (request.method !== 'POST' || !(single || atomic)) {
      return respond({ error: 'ERR no such endpoint' }, 404)
    }
    const body: unknown = await request.json().catch(() => undefined)
    const parsed = pipelineBody.safeParse(single ? [body] : body)
    if (!parsed.success) return respond({ error: 'ERR failed to parse the request body' }, 400)

    try {
      const responses = (await run(parsed.data, atomic)).map((outcome) =>
        'error' in outcome ? outcome : { result: toWire(outcome.reply, base64) },
      )
      const [first] = responses
      return single && first ? respond(first, 'error' in first ? 400 : 200) : respond(responses)
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      return name === 'ReplyError'
        ? respond({ error: message }, 400)
        : respond({ error: `ERR ${message}` }, 503)
    }
  }
}

/**
 * Upstash accepts flags in a script's first line (`#!lua flags=allow-key-locking`) that stock Redis rejects,
 * so scripts are kept here under the SHA-1 of their original text and always run by EVAL without that line.
 */
function scriptStore(): (command: Command) => Command | Outcome {
  const scripts = new Map<string, string>()
  return (command) => {
    const [name = '', text = '', ...rest] = command
    if (/^eval$/i.test(name)) {
      const script = text.replace(/^#!.*/, '')
      scripts.set(createHash('sha1').update(text).digest('hex'), script)
      return ['eval', script, ...rest]
    }
    if (!/^evalsha$/i.test(name)) return command
    const script = scripts.get(text.toLowerCase())
    if (script === undefined) return { error: 'NOSCRIPT No matching script. Please use EVAL.' }
    return ['eval', script, ...rest]
  }
}

// The client reads a bare "OK" only at the top: inside an array it would decode it to garbage.
function toWire(reply: unknown, base64: boolean, top = true): unknown {
  if (Array.isArray(reply)) return reply.map((item) => toWire(item, base64, false))
  if (typeof reply === 'string' || Buffer.isBuffer(reply)) {
    const bytes = Buffer.from(reply)
    const plain = !base64 || (top && bytes.toString() === 'OK')
    return bytes.toString(plain ? 'utf8' : 'base64')
  }
  if (typeof reply === 'object' && reply !== null) return toWire(Object.entries(reply).flat(), base64)
  return reply ?? null
}
