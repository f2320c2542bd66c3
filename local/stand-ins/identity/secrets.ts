import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const secretsShape = z.object({
  port: z.number().int().nullable(),
  client_secret: z.string(),
  cookie_keys: z.array(z.string()),
  subject_key: z.string(),
  jwk: z.looseObject({ kty: z.string(), kid: z.string() }),
})

/** What must survive a restart for the same person to be the same operator. */
export type Secrets = z.infer<typeof secretsShape>

const random = () => randomBytes(32).toString('base64url')

function createSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = privateKey.export({ format: 'jwk' })
  return {
    port: null,
    client_secret: random(),
    cookie_keys: [random()],
    subject_key: random(),
    jwk: { ...jwk, kty: 'RSA', kid: randomBytes(8).toString('hex'), alg: 'RS256', use: 'sig' },
  }
}

/**
 * Writes the secrets to `identity.json` (mode 0600), whole or not at all.
 *
 * @param dir the provider's data folder, made when missing
 */
export function saveSecrets(dir: string, secrets: Secrets): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'identity.json')
  writeFileSync(`${file}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/**
 * Reads the secrets of a data folder, or makes new ones (unsaved) when it holds none.
 *
 * @throws Error when the file is there but cannot be understood; new keys would lock every operator out
 */
export function loadSecrets(dir: string): Secrets {
  const file = join(dir, 'identity.json')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return createSecrets()
    throw error
  }
  try {
    return secretsShape.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${file} is damaged: mend it, or delete it and sign up anew`, { cause })
  }
}

/**
 * The permanent subject of an email address: the same before and after a restart, with nothing stored.
 *
 * @param email a normalised address
 */
export function subjectOf(secrets: Secrets, email: string): string {
  return createHmac('sha256', secrets.subject_key).update(email).digest('base64url')
}
