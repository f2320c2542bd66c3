import { createHash, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { readExpansions, readParameters } from './parameters.ts'
import { reject, respond } from './respond.ts'
import { cancel, newSession, toWire } from './session.ts'
import type { Session, Store } from './store.ts'

const SESSIONS = '/v1/identity/verification_sessions'
const SENSITIVE = 'verified_outputs.dob'
const LIST_DEFAULT = 10
const LIST_MAX = 100

/** What the API and the pages of the provider use. */
export interface Options {
  store: Store
  origin: string
  /** Sends an event about a session to the webhook endpoint. */
  sendEvent(type: string, session: Session): void
}

/** The endpoints of Stripe Identity that the registry calls: create, retrieve, list, and cancel a session. */
export function stripeApi({ store, origin, sendEvent }: Options): Hono {
  const { state } = store
  const find = (id: string) => state.sessions.find((session) => session.id === id)

  const app = new Hono()
  app.use('/v1/*', async (c, next) => {
    const key = presentedKey(c)
    if ([state.secret_key, state.restricted_key].some((known) => isSame(key, known))) return next()
    const message = key ? `Invalid API Key provided: ${mask(key)}` : 'You did not provide an API key.'
    return reject(c, { status: 401, type: 'invalid_request_error', message })
  })

  app.post(SESSIONS, async (c) => {
    const form = new URLSearchParams(await c.req.text())
    return once(c, store, form.toString(), () => {
      const parameters = readParameters(form)
      if ('status' in parameters) return reject(c, parameters)
      const session = newSession(parameters)
      state.sessions.push(session)
      sendEvent('created', session)
      return toWire(session, origin)
    })
  })

  app.get(SESSIONS, (c) => {
    const { limit = String(LIST_DEFAULT), client_reference_id } = c.req.query()
    const found = state.sessions
      .toReversed()
      .filter((session) => !client_reference_id || session.client_reference_id === client_reference_id)
    const data = found.slice(0, Math.min(Number(limit), LIST_MAX))
    const has_more = data.length < found.length
    return respond(c, {
      object: 'list',
      data: data.map((session) => toWire(session, origin)),
      has_more,
      url: SESSIONS,
    })
  })

  app.get(`${SESSIONS}/:id`, (c) => {
    const session = find(c.req.param('id'))
    if (!session) return missing(c)
    const expand = readExpansions(new URL(c.req.url).searchParams)
    if ('status' in expand) return reject(c, expand)
    if (expand.includes(SENSITIVE) && !isSame(presentedKey(c), state.restricted_key)) {
      const message = `To access ${SENSITIVE}, configure a restricted API key with appropriate permissions.`
      return reject(c, { status: 403, type: 'invalid_request_error', message })
    }
    return respond(c, toWire(session, origin, expand))
  })

  app.post(`${SESSIONS}/:id/cancel`, async (c) => {
    const session = find(c.req.param('id'))
    if (!session) return missing(c)
    return once(c, store, await c.req.text(), () => {
      if (!cancel(session)) {
        const message = `This VerificationSession cannot be canceled because its status is ${session.status}.`
        return reject(c, { status: 400, type: 'invalid_request_error', message })
      }
      sendEvent('canceled', session)
      return toWire(session, origin)
    })
  })

  app.all('/v1/*', (c) => {
    const message = `Unrecognized request URL (${c.req.method}: ${c.req.path}).`
    return reject(c, { status: 404, type: 'invalid_request_error', message })
  })
  return app
}

/** Executes a request, or repeats the stored response for its Idempotency-Key. */
function once(c: Context, { state, save }: Store, form: string, act: () => Response | object): Response {
  const key = c.req.header('idempotency-key')
  const fingerprint = createHash('sha256').update(`${c.req.path} ${form}`).digest('hex')
  const before = key && state.requests[key]
  if (before && before.fingerprint !== fingerprint) {
    const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
    return reject(c, { status: 400, type: 'idempotency_error', message })
  }
  if (before) return respond(c, before.response, 200, { 'idempotent-replayed': 'true' })
  const done = act()
  if (done instanceof Response) return done
  if (key) state.requests[key] = { fingerprint, response: done, at: Math.floor(Date.now() / 1000) }
  save()
  return respond(c, done)
}

const presentedKey = (c: Context) => /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''

function missing(c: Context) {
  const message = `No such identity.verificationsession: '${c.req.param('id')}'`
  return reject(c, {
    status: 404,
    type: 'invalid_request_error',
    message,
    code: 'resource_missing',
    param: 'session',
  })
}

function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}

const mask = (key: string) => `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`
