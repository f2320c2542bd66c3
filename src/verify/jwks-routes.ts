import { Hono } from 'hono'
import { authorize } from '../credentials/authorize.ts'
import { keptFor, tagged } from '../http/caching.ts'
import type { App } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { toJwks } from '../transparency/token.ts'
import { tokenKeysOf } from './token-keys.ts'

const JWKS_MAX_AGE_SECONDS = 600 // keys are published for longer than this before their first and after their last use

/** The public keys of verification tokens, at the path where JWT libraries look for them. */
export const jwksRoutes = new Hono<App>().get(
  '/.well-known/jwks.json',
  publicCors(),
  keptFor(JWKS_MAX_AGE_SECONDS),
  authorize({ by: 'address', limit: 'log' }),
  async (c) => tagged(c, JSON.stringify(toJwks(await tokenKeysOf(c.get('env'))))),
)
