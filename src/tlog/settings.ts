import type { Env } from '../env.ts'
import { encodeBase64Url } from '../transparency/bytes.ts'
import { type PublicJwk, thumbprint } from '../transparency/jwk.ts'
import { parseSignerKey, type SignerKey } from '../transparency/keys.ts'
import { parsePolicy, type Witness } from '../transparency/policy.ts'

/** The path of the page about the log, which is named in the first leaf. */
const SPEC_PATH = '/transparency'

/** A key of the service, as the log declares it. */
interface DeclaredKey {
  kid: string
  /** The leaf that states that the key was added. */
  leaf: string
}

/** What the service declares about itself in the log. */
export interface Declaration {
  origin: string
  /** The first leaf of the log. */
  leaf: string
  keys: DeclaredKey[]
}

/** The settings of a log that is on. */
export interface LogSettings {
  origin: string
  /** The keys that sign each head. */
  signers: SignerKey[]
  witnesses: Witness[]
  declaration: Declaration
}

const known = new WeakMap<Env, LogSettings>()

/**
 * The settings of the log; null if it is off, because there is no `LOG_KEY`.
 *
 * @throws Error that names the invalid setting but never its value
 */
export async function logSettings(env: Env): Promise<LogSettings | null> {
  if (!env.LOG_KEY) return null
  const settings = known.get(env) ?? (await readSettings(env))
  known.set(env, settings)
  return settings
}

async function readSettings(env: Env): Promise<LogSettings> {
  const origin = env.LOG_ORIGIN
  const signers: SignerKey[] = []
  for (const name of ['LOG_KEY', 'LOG_KEY_NEXT'] as const) {
    if (!env[name]) continue
    const signer = await parseSignerKey(env[name])
    if (signer?.verifier.name !== origin)
      throw new Error(`settings: ${name}: must be a key of ${origin}, as "admin -- log-key" makes it`)
    signers.push(signer)
  }
  const { witnesses } = await parsePolicy(`${env.LOG_WITNESSES ?? ''}\nquorum none`).catch((error) => {
    throw new Error(`settings: LOG_WITNESSES: ${error.message}`)
  })
  const keys = await Promise.all([
    ...signers.map(({ verifier }) =>
      declared('log', { crv: 'Ed25519', kty: 'OKP', x: encodeBase64Url(verifier.publicKey) }),
    ),
    ...env.TOKEN_KEYS.map(({ crv, kty, x, y }) => declared('token', { crv, kty, x, y })),
  ])
  return { origin, signers, witnesses, declaration: { origin, leaf: logLeaf(env), keys } }
}

function logLeaf({ LOG_ORIGIN, BASE_URL }: Env): string {
  return JSON.stringify({ v: 1, kind: 'log', origin: LOG_ORIGIN, spec: `${BASE_URL}${SPEC_PATH}` })
}

async function declared(use: 'log' | 'token', key: PublicJwk): Promise<DeclaredKey> {
  const kid = await thumbprint(key)
  return { kid, leaf: JSON.stringify({ v: 1, kind: 'key', use, kid, key, state: 'added' }) }
}
