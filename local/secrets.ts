import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { makeSignerKey } from '../src/transparency/keys.ts'
import { makeTokenKey } from '../src/transparency/token.ts'
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
  log_key: z.string(),
  /** The verifier key of `log_key`. */
  log_vkey: z.string(),
})

type Secrets = z.infer<typeof shape>

const fileOf = (dir: string) => join(dir, 'secrets.json')

/** Reads the secrets of a local stack from its folder (0600); creates them at its first start. */
export async function keepSecrets(dir: string): Promise<Secrets> {
  if (existsSync(fileOf(dir))) return readSecrets(dir)
  const { skey, vkey } = await makeSignerKey(LOG_ORIGIN)
  const secrets = {
    secrets_key: randomBytes(KEY_BYTES).toString('base64'),
    credentials_key: randomBytes(KEY_BYTES).toString('base64'),
    identity_key: randomBytes(KEY_BYTES).toString('base64'),
    token_keys: `[${await makeTokenKey()}]`,
    worker_password: randomBytes(24).toString('hex'),
    log_key: skey,
    log_vkey: vkey,
  }
  writeAtomically(fileOf(dir), JSON.stringify(secrets))
  return secrets
}

export function readSecrets(dir: string): Secrets {
  return shape.parse(JSON.parse(readFileSync(fileOf(dir), 'utf8')))
}

/** The Worker's keys as settings; read at each start of the Worker, so that they can be rotated on a running stack. */
export function keysOf(dir: string): Record<string, string> {
  const { secrets_key, previous_secrets_key, credentials_key, identity_key, token_keys, log_key } =
    readSecrets(dir)
  return {
    SECRETS_KEY: secrets_key,
    ...(previous_secrets_key && { SECRETS_KEY_PREVIOUS: previous_secrets_key }),
    CREDENTIALS_KEY: credentials_key,
    IDENTITY_KEY: identity_key,
    TOKEN_KEYS: token_keys,
    LOG_ORIGIN,
    LOG_KEY: log_key,
  }
}
