import { endpoint, json, router } from '../api/endpoint.ts'
import { makeSessionToken } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import { clientIp } from '../http/address.ts'
import { hashSecret } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { FIRST_TIER, TIER_AGENT_LIMIT } from '../operators/tiers.ts'
import { browserPages } from './browser.ts'
import { keepSignIn, takeSignIn } from './cookie.ts'
import { beginSignIn, type Exchange, finishSignIn } from './oidc.ts'
import { signedIn, signInQuery } from './schema.ts'
import { signIn } from './store.ts'

const SESSION_LIFE_MS = 30 * 86_400_000
const USER_AGENT_MAX = 500
const ALL_NOTIFICATIONS = {
  trust_alerts: true,
  incident_alerts: true,
  weekly_digest: true,
  kyc_reminders: true,
}

const getSignIn = endpoint({
  method: 'get',
  path: '/auth/sign-in',
  operationId: 'beginSignIn',
  tag: 'Sign-in',
  access: { by: 'anyone', limit: 'sign-in', countFirst: true },
  summary: 'Begin a sign-in: redirects the browser to the identity provider, which e-mails a magic link',
  description:
    'Open it in a browser, or follow the redirects and keep the cookie: the way back through `/auth/callback` needs it. A browser (`Accept` prefers `text/html`) is shown refusals as a page, with the same status and headers.',
  cache: 'private',
  request: { query: signInQuery },
  responses: { 302: { description: 'To the identity provider' } },
  errors: [],
})

const getCallback = endpoint({
  method: 'get',
  path: '/auth/callback',
  operationId: 'finishSignIn',
  tag: 'Sign-in',
  access: { by: 'anyone', limit: 'public', countFirst: true },
  summary: 'The return from the identity provider: opens a session',
  description:
    'The identity provider sends the browser here after the link in the e-mail was opened. The first sign-in of an address creates its operator. A browser (`Accept` prefers `text/html`) is shown a page instead of JSON, with the same status and headers.',
  cache: 'private',
  request: {},
  responses: { 200: json(signedIn, 'The session; its token is shown this once') },
  errors: ['VALIDATION_ERROR', 'FORBIDDEN'],
})

const routes = router()
for (const { path } of [getSignIn, getCallback]) routes.use(path, browserPages())

export const authRoutes = routes
  .openapi(getSignIn, async (c) => {
    const { email } = c.req.valid('query')
    const started = await beginSignIn(c.get('env'), email, c.get('signal')).catch(() => null)
    if (!started) throw refusal('unavailable')
    await keepSignIn(c, started.pending)
    return c.redirect(started.url.href, 302)
  })
  .openapi(getCallback, async (c) => {
    const pending = await takeSignIn(c)
    if (!pending) {
      throw new ApiError(
        'VALIDATION_ERROR',
        'sign-in: none is under way in this browser, or it took too long',
      )
    }
    const { env, now, signal } = c.var
    const exchange = await finishSignIn(env, new URL(c.req.url).search, pending, signal)
    if (!exchange.ok) throw refusal(exchange.reason)
    const token = makeSessionToken()
    const at = now()
    const expires_at = new Date(at.getTime() + SESSION_LIFE_MS).toISOString()
    const operator = await signIn(c.get('db'), {
      operator: {
        ...exchange.identity,
        id: uuidv7(at),
        agent_limit: TIER_AGENT_LIMIT[FIRST_TIER],
        notification_prefs: ALL_NOTIFICATIONS,
      },
      session: {
        id: token.id,
        ...(await hashSecret(token.secret)),
        ip: clientIp(c),
        user_agent: (c.req.header('user-agent') ?? '').slice(0, USER_AGENT_MAX).toWellFormed(),
        expires_at,
      },
      now: at,
    })
    if (operator.status === 'suspended') throw new ApiError('FORBIDDEN', 'this operator is suspended')
    return c.json({ session_token: token.text, expires_at, operator }, 200)
  })

function refusal(reason: Extract<Exchange, { ok: false }>['reason']): ApiError {
  switch (reason) {
    case 'cancelled':
      return new ApiError('FORBIDDEN', 'sign-in: cancelled at the identity provider')
    case 'invalid':
      return new ApiError(
        'VALIDATION_ERROR',
        'sign-in: the answer of the identity provider is not valid, start again',
      )
    case 'unverified':
      return new ApiError('FORBIDDEN', 'sign-in: the identity provider has not verified this e-mail address')
    case 'unavailable':
      return new ApiError('SERVICE_UNAVAILABLE', 'sign-in: the identity provider does not answer', {
        'Retry-After': '30',
      })
  }
}
