import { keepSignIn } from '../auth/cookie.ts'
import { beginSignIn } from '../auth/oidc.ts'
import { rejection } from '../auth/routes.ts'
import { endSession } from '../auth/store.ts'
import { authorize, requireSession } from '../credentials/authorize.ts'
import { putConsoleToken } from '../credentials/cookie.ts'
import { caching } from '../http/caching.ts'
import { browserSignIn } from '../pages/sign-in.ts'
import { consolePages } from './router.ts'

const HOME = '/console'
const WITHIN = /^\/console(\/[\w-]+)*(\?token_name=[\w-]{1,40})?$/

export const signInPages = consolePages().action('/console/sign-out', async (c) => {
  const { operator_id, session_id } = requireSession(c)
  await endSession(c.get('db'), operator_id, session_id, c.get('now')())
  putConsoleToken(c, '')
  return c.redirect('/', 303)
})

// A link, not a form: `form-action` of the CSP restricts forms, and their redirects, to this origin.
signInPages.routes.get(
  '/console/sign-in',
  browserSignIn(),
  caching('private'),
  authorize({ by: 'address', limit: 'sign-in', countFirst: true }),
  async (c) => {
    const { env, signal } = c.var
    const started = await beginSignIn(env, undefined, signal).catch(() => null)
    if (!started) throw rejection('unavailable')
    const to = c.req.query('to') ?? HOME
    await keepSignIn(c, { ...started.pending, to: WITHIN.test(to) ? to : HOME })
    return c.redirect(started.url.href, 302)
  },
)
