import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

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
 * The secrets in `identity.json` (0600) of a data folder, or new ones; `save` writes them.
 *
 * @throws Error when the file is invalid; new keys would lock out every operator
 */
export function openSecrets(dir: string) {
  return keepState<Secrets>(join(dir, 'identity.json'), secretsShape, createSecrets)
}

/**
 * The permanent subject of an email address: derived, so that it needs no storage.
 *
 * @param email a normalized address
 */
export function subjectOf(secrets: Secrets, email: string): string {
  return createHmac('sha256', secrets.subject_key).update(email).digest('base64url')
}
