import { type Context, Hono } from 'hono'
import { cancel, newId, newSession, toWire } from './session.ts'
import type { Session, Store } from './store.ts'

const SESSIONS = '/v1/identity/verification_sessions'
const PARAMETERS = ['type', 'client_reference_id', 'options[document][require_matching_selfie]', 'return_url']
const OUTPUTS = 'verified_outputs'
const SENSITIVE = 'verified_outputs.dob'
const LIST_DEFAULT = 10

/** What the API and the pages of the provider use. */
export interface Options {
  store: Store
  /** Sends an event about a session to the webhook endpoint. */
  sendEvent(type: string, session: Session): void
}

/**
 * The endpoints of Stripe Identity that the registry and its tests call: create, retrieve, list, and cancel a session.
 * Unknown parameters are rejected, as by Stripe.
 *
 * Source: https://docs.stripe.com/api/identity/verification_sessions, https://docs.stripe.com/expand,
 * https://docs.stripe.com/api/idempotent_requests
 */
export function stripeApi({ store, sendEvent }: Options): Hono {
  const { state, save } = store
  const find = (id: string) => state.sessions.find((session) => session.id === id)
  const missing = (c: Context) => reject(c, 404, 'No such identity.verificationsession', 'resource_missing')

  const app = new Hono()
  app.use('/v1/*', async (c, next) => {
    c.header('request-id', newId('req'))
    if ([state.secret_key, state.restricted_key].includes(presentedKey(c))) return next()
    return reject(c, 401, 'Invalid API Key provided')
  })

  app.post(SESSIONS, async (c) => {
    const form = new URLSearchParams(await c.req.text())
    const unknown = [...form.keys()].find((name) => !PARAMETERS.includes(name))
    if (unknown) return reject(c, 400, `Received unknown parameter: ${unknown}`, 'parameter_unknown')
    const request = c.req.header('idempotency-key') ?? null
    const before = state.sessions.find((session) => request !== null && session.request === request)
    if (before) return c.json(before.response)
    const session = newSession(form, request, originOf(c))
    state.sessions.push(session)
    sendEvent('created', session)
    save()
    return c.json(session.response)
  })

  app.get(SESSIONS, (c) => {
    const { limit = LIST_DEFAULT, client_reference_id: client } = c.req.query()
    const found = state.sessions
      .toReversed()
      .filter((session) => !client || session.client_reference_id === client)
    const data = found.slice(0, Number(limit)).map((session) => toWire(session, originOf(c)))
    return c.json({ object: 'list', data, has_more: data.length < found.length, url: SESSIONS })
  })

  app.get(`${SESSIONS}/:id`, (c) => {
    const session = find(c.req.param('id'))
    if (!session) return missing(c)
    const expand = [...new URL(c.req.url).searchParams.values()]
    const unknown = expand.find((name) => name !== OUTPUTS && name !== SENSITIVE)
    if (unknown) return reject(c, 400, `This property cannot be expanded (${unknown}).`)
    if (expand.includes(SENSITIVE) && presentedKey(c) !== state.restricted_key)
      return reject(c, 403, `To access ${SENSITIVE}, configure a restricted API key.`)
    const outputs = session.verified_outputs && { ...session.verified_outputs }
    if (outputs && !expand.includes(SENSITIVE)) outputs.dob = undefined
    const expanded = expand.length > 0 ? { [OUTPUTS]: outputs } : {}
    return c.json({ ...toWire(session, originOf(c)), ...expanded })
  })

  app.post(`${SESSIONS}/:id/cancel`, (c) => {
    const session = find(c.req.param('id'))
    if (!session) return missing(c)
    if (!cancel(session)) return reject(c, 400, `It cannot be canceled: its status is ${session.status}.`)
    sendEvent('canceled', session)
    save()
    return c.json(toWire(session, originOf(c)))
  })
  return app
}

const originOf = (c: Context) => new URL(c.req.url).origin

const presentedKey = (c: Context) => /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''

/** Source: https://docs.stripe.com/api/errors */
const reject = (c: Context, status: 400 | 401 | 403 | 404, message: string, code?: string) =>
  c.json({ error: { type: 'invalid_request_error', message, code } }, status)
