import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { makeSignerKey, parseSignerKey } from '../src/transparency/keys.ts'
import { writeAtomically } from './file.ts'

const KEY_BYTES = 32 // of AES-256 and HMAC-SHA-256
/** Without the port, so that the log of a folder continues on another port. */
const LOG_ORIGIN = 'localhost/log'

const shape = z.object({
  secrets_key: z.base64(),
  /** Only while the key is rotated. */
  previous_secrets_key: z.base64().optional(),
  /** Comma-separated; the first key signs. */
  credentials_key: z.string(),
  identity_key: z.base64(),
  /** A JSON array of private P-256 keys; the first key signs. */
  token_keys: z.string(),
  worker_password: z.string(),
  log_key: z.string().optional(),
})

/** Reads the secrets of a local stack from its folder (0600); creates those that are missing. */
export function keepSecrets(dir: string): z.infer<typeof shape> {
  const file = join(dir, 'secrets.json')
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const secrets = shape.parse({
    secrets_key: randomBytes(KEY_BYTES).toString('base64'),
    credentials_key: randomBytes(KEY_BYTES).toString('base64'),
    identity_key: randomBytes(KEY_BYTES).toString('base64'),
    token_keys: JSON.stringify([newTokenKey()]),
    worker_password: randomBytes(24).toString('hex'),
    ...kept,
  })
  if (Object.keys(secrets).some((name) => !(name in kept))) writeAtomically(file, JSON.stringify(secrets))
  return secrets
}

function newTokenKey(): object {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
}

/**
 * Creates the key of the transparency log if the local stack has none.
 *
 * @returns the verifier key of the log
 */
export async function keepLogKey(dir: string): Promise<string> {
  const secrets = keepSecrets(dir)
  const known = await parseSignerKey(secrets.log_key ?? '')
  if (known) return known.verifier.vkey
  const { skey, vkey } = await makeSignerKey(LOG_ORIGIN)
  writeAtomically(join(dir, 'secrets.json'), JSON.stringify({ ...secrets, log_key: skey }))
  return vkey
}

/** The Worker's keys as settings; read at each start of the Worker, so that they can be rotated on a running stack. */
export function keysOf(dir: string): Record<string, string> {
  const { secrets_key, previous_secrets_key, credentials_key, identity_key, token_keys, log_key } =
    keepSecrets(dir)
  return {
    SECRETS_KEY: secrets_key,
    ...(previous_secrets_key && { SECRETS_KEY_PREVIOUS: previous_secrets_key }),
    CREDENTIALS_KEY: credentials_key,
    IDENTITY_KEY: identity_key,
    TOKEN_KEYS: token_keys,
    LOG_ORIGIN,
    ...(log_key && { LOG_KEY: log_key }),
  }
}
