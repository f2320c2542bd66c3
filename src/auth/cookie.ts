import { generateCookie, getCookie } from 'hono/cookie'
import * as z from 'zod'
import { type Env, openingKeys } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { seal, unsealWith } from '../lib/crypto.ts'
import type { PendingSignIn } from './oidc.ts'

const NAME = 'reg_sign_in'
const PATH = '/' // as the prefix asks
const LIFE_SECONDS = 20 * 60 // longer than the link, which lives 15 minutes
const PURPOSE = 'sign-in'

const contents = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  expires_at: z.number(),
  /** Where in the console the person wanted to go; a sign-in for a program has none. */
  to: z.string().optional(),
})

type Kept = PendingSignIn & { to?: string | undefined }

/** Keeps a sign-in under way in the browser: encrypted, out of reach of scripts. */
export async function keepSignIn(c: Ctx, pending: Kept): Promise<void> {
  const { env, now } = c.var
  const expires_at = now().getTime() + LIFE_SECONDS * 1000
  const sealed = await seal(env.SECRETS_KEY, PURPOSE, JSON.stringify({ ...pending, expires_at }))
  putCookie(c, sealed, LIFE_SECONDS)
}

/** Takes the sign-in under way out of the browser; null when there is none, or it is too old or not ours. */
export async function takeSignIn(c: Ctx): Promise<Kept | null> {
  const { env, now } = c.var
  const sealed = getCookie(c, nameOf(env))
  if (!sealed) return null
  putCookie(c, '', 0)
  const text = await unsealWith(openingKeys(env), PURPOSE, sealed)
  if (text === null) return null
  const { expires_at, ...pending } = contents.parse(JSON.parse(text))
  return expires_at > now().getTime() ? pending : null
}

/** On the response itself: headers that are only prepared get lost when the route ends in an error. */
function putCookie(c: Ctx, value: string, maxAge: number): void {
  const { env } = c.var
  const secure = isSecure(env)
  const cookie = generateCookie(nameOf(env), value, {
    path: PATH,
    httpOnly: true,
    sameSite: 'Lax',
    secure,
    maxAge,
  })
  c.res.headers.append('Set-Cookie', cookie)
}

/** With `__Host-` no other host can have set it, to sign a person in as somebody else (RFC 6265bis, section 4.1.3.2). */
function nameOf(env: Env): string {
  return isSecure(env) ? `__Host-${NAME}` : NAME
}

function isSecure({ BASE_URL }: Env): boolean {
  return BASE_URL.startsWith('https:') // it is in its normal form
}
