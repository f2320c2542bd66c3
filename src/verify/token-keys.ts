import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { importTokenKeys, type TokenKey } from '../transparency/token.ts'

const imported = new WeakMap<Env, readonly TokenKey[]>()

/**
 * The keys of verification tokens, imported once per isolate. The first signs, all are published.
 *
 * @returns empty if the service signs no tokens
 * @throws Error that names the key in `TOKEN_KEYS` that is invalid
 */
export async function tokenKeysOf(env: Env): Promise<readonly TokenKey[]> {
  const known = imported.get(env)
  if (known) return known
  const keys = await importTokenKeys(env.TOKEN_KEYS) // the result is shared, because a promise belongs to one request
  imported.set(env, keys)
  return keys
}

/** The key that signs tokens; throws 404 if the service signs none. */
export async function requireSigner(env: Env): Promise<TokenKey> {
  const [key] = await tokenKeysOf(env)
  if (!key) throw new ApiError('NOT_FOUND', 'this registry does not sign verification tokens')
  return key
}
