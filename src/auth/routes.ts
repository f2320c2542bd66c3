import { endpoint, router } from '../api/endpoint.ts'
import { operatorSuspended } from '../credentials/authorize.ts'
import { CONSOLE_SECONDS, putConsoleToken } from '../credentials/cookie.ts'
import { makeToken } from '../credentials/token.ts'
import { each, NOTIFICATION_PREFS } from '../db/enums.ts'
import { FIRST_TIER, QUOTAS } from '../db/tiers.ts'
import { ApiError, unavailable } from '../errors.ts'
import { isNavigation } from '../http/navigation.ts'
import { hashSecret } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { keepSignIn, takeSignIn } from './cookie.ts'
import { defaultName } from './name.ts'
import { beginSignIn, type Exchange, finishSignIn } from './oidc.ts'
import { openedFrom, SESSION_LIFE_MS } from './open.ts'
import { responses } from './responses.ts'
import { signInQuery } from './schema.ts'
import { signIn } from './store.ts'

export const authRoutes = router()
  .openapi(
    endpoint({
      ...responses.beginSignIn,
      method: 'get',
      path: '/auth/sign-in',
      access: { by: 'address', limit: 'sign-in', countFirst: true },
      request: { query: signInQuery },
    }),
    async (c) => {
      const { email } = c.req.valid('query')
      const started = await beginSignIn(c.get('env'), email, c.get('signal')).catch(() => null)
      if (!started) throw rejection('unavailable')
      await keepSignIn(c, started.pending)
      return c.redirect(started.url.href, 302)
    },
  )
  .openapi(
    endpoint({
      ...responses.finishSignIn,
      method: 'get',
      path: '/auth/callback',
      access: { by: 'address', limit: 'public', countFirst: true },
    }),
    async (c) => {
      const pending = await takeSignIn(c)
      if (!pending) {
        throw new ApiError(
          'VALIDATION_ERROR',
          'sign-in: it was started in another browser, or more than 20 minutes ago; open the link in the browser in which you asked for it, or start again in this one',
        )
      }
      const { env, now, signal } = c.var
      const exchange = await finishSignIn(env, new URL(c.req.url).search, pending, signal)
      if (!exchange.ok) throw rejection(exchange.reason)
      const isBrowser = pending.to !== undefined || isNavigation(c) // gets a cookie instead of a token in the response
      const token = await makeToken(isBrowser ? 'console' : 'session', env.CREDENTIALS_KEY)
      const at = now()
      const life = isBrowser ? CONSOLE_SECONDS * 1000 : SESSION_LIFE_MS
      const expires_at = new Date(at.getTime() + life).toISOString()
      const id = uuidv7(at)
      const operator = await signIn(c.get('db'), {
        operator: {
          ...exchange.identity,
          id,
          name: exchange.identity.name ?? defaultName(id),
          agent_limit: QUOTAS[FIRST_TIER].active_agents,
          notification_prefs: each(NOTIFICATION_PREFS, () => true),
        },
        session: {
          id: token.id,
          ...(await hashSecret(token.secret)),
          ...openedFrom(c),
          expires_at,
        },
        now: at,
      })
      if (operator.status === 'suspended') throw operatorSuspended()
      if (isBrowser) putConsoleToken(c, token.text)
      if (pending.to !== undefined) return c.redirect(pending.to, 303)
      return c.json({ session_token: token.text, expires_at, operator }, 200)
    },
  )

const REJECTIONS = {
  canceled: ['FORBIDDEN', 'sign-in: canceled at the identity provider; start again'],
  invalid: ['VALIDATION_ERROR', 'sign-in: the identity provider returned an invalid response; start again'],
  unverified: [
    'FORBIDDEN',
    'sign-in: the identity provider has not verified this email address; verify it there and start again',
  ],
} as const

/** The error for a sign-in that yielded no identity. */
export function rejection(reason: Extract<Exchange, { ok: false }>['reason']): ApiError {
  if (reason === 'unavailable')
    return unavailable('sign-in: the identity provider is not responding; try again shortly', 30)
  const [code, message] = REJECTIONS[reason]
  return new ApiError(code, message)
}
