import { authorize } from '../credentials/authorize.ts'
import { keptFor, tagged } from '../http/caching.ts'
import { publicCors } from '../http/cors.ts'
import { part } from '../http/part.ts'
import { toJwks } from '../transparency/token.ts'
import { tokenKeysOf } from './token-keys.ts'

const JWKS_MAX_AGE_SECONDS = 600 // keys are published for longer than this before their first and after their last use

/** The public keys of verification tokens, at the path where JWT libraries look for them. */
export const jwksRoutes = part().get(
  '/.well-known/jwks.json',
  publicCors(),
  keptFor(JWKS_MAX_AGE_SECONDS),
  authorize({ by: 'address', limit: 'log' }),
  async (c) => tagged(c, JSON.stringify(toJwks(await tokenKeysOf(c.get('env'))))),
)
