import { openingKeys } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { putCookie, readCookie } from '../http/cookie.ts'
import { seal, unsealWith } from '../lib/crypto.ts'
import type { PendingSignIn } from './oidc.ts'

const COOKIE = { name: 'reg_sign_in', path: '/' } as const
const LIFE_SECONDS = 20 * 60 // longer than the magic link, which is valid for 15 minutes
const PURPOSE = 'sign-in'

interface StoredSignIn extends PendingSignIn {
  /** The console page to open after the sign-in; absent for a sign-in through the API. */
  to?: string
}

/** Stores a pending sign-in in an encrypted cookie that scripts cannot read. */
export async function keepSignIn(c: Ctx, pending: StoredSignIn): Promise<void> {
  const { env, now } = c.var
  const expires_at = now().getTime() + LIFE_SECONDS * 1000
  const sealed = await seal(env.SECRETS_KEY, PURPOSE, JSON.stringify({ ...pending, expires_at }))
  putCookie(c, COOKIE, sealed, LIFE_SECONDS)
}

/** Reads and deletes the cookie of the pending sign-in; null if it is missing, expired, or not encrypted with our key. */
export async function takeSignIn(c: Ctx): Promise<StoredSignIn | null> {
  const { env, now } = c.var
  const sealed = readCookie(c, COOKIE)
  if (!sealed) return null
  putCookie(c, COOKIE, '', 0)
  const text = await unsealWith(openingKeys(env), PURPOSE, sealed)
  if (text === null) return null
  const { expires_at, ...pending }: StoredSignIn & { expires_at: number } = JSON.parse(text)
  return expires_at > now().getTime() ? pending : null
}
