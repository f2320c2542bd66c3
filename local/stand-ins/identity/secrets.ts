import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../../file.ts'

const secretsShape = z.object({
  port: z.number().int().nullable(),
  client_secret: z.string(),
  cookie_keys: z.array(z.string()),
  subject_key: z.string(),
  jwk: z.looseObject({ kty: z.string(), kid: z.string() }),
})

/** The state that must survive a restart, so that a person remains the same operator. */
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
 * Writes the secrets to `identity.json` (mode 0600) atomically.
 *
 * @param dir the provider's data folder, created if missing
 */
export function saveSecrets(dir: string, secrets: Secrets): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  writeAtomically(join(dir, 'identity.json'), JSON.stringify(secrets, null, 2))
}

/**
 * Reads the secrets of a data folder, or creates new ones (unsaved) if it has none.
 *
 * @throws Error when the file is invalid; new keys would lock out every operator
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
    throw new Error(`${file} is invalid: repair it, or delete it and sign up again`, { cause })
  }
}

/**
 * The permanent subject of an email address: derived, so that it needs no storage.
 *
 * @param email a normalized address
 */
export function subjectOf(secrets: Secrets, email: string): string {
  return createHmac('sha256', secrets.subject_key).update(email).digest('base64url')
}
