/** A key of 32 bytes in base64. */
export const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64')

/** Settings of a Worker whose external services are down: with https URLs, as in production. */
export const SETTINGS = {
  ASSETS: { fetch },
  BASE_URL: 'https://registry.example.org',
  DATABASE_URL: 'postgres://nobody@localhost/none',
  NEON_SQL_URL: 'https://127.0.0.1:9',
  UPSTASH_REDIS_REST_URL: 'https://127.0.0.1:9',
  UPSTASH_REDIS_REST_TOKEN: 'x',
  QSTASH_URL: 'https://127.0.0.1:9',
  QSTASH_TOKEN: 'x',
  QSTASH_CURRENT_SIGNING_KEY: 'x',
  QSTASH_NEXT_SIGNING_KEY: 'y',
  OIDC_ISSUER: 'https://127.0.0.1:9',
  OIDC_CLIENT_ID: 'x',
  OIDC_CLIENT_SECRET: 'x',
  STRIPE_SECRET_KEY: 'x',
  STRIPE_WEBHOOK_SECRET: 'x',
  SECRETS_KEY: keyOf(1),
  CREDENTIALS_KEY: keyOf(2),
  IDENTITY_KEY: keyOf(9),
}
