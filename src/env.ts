import * as z from 'zod'

const flag = z
  .enum(['true', 'false', ''])
  .optional()
  .transform((value) => value === 'true')

const KEY = /^[A-Za-z0-9+/]{43}=$/
const KEY_RULE = 'must be 32 bytes in base64'

/** A service that answers with the static files. */
interface Files {
  fetch(url: string): Promise<Response>
}

const bindings = z
  .object({
    ASSETS: z.custom<Files>((value) => typeof value === 'object' && value !== null && 'fetch' in value, {
      error: 'must be the binding of the static files',
    }),
    BASE_URL: z.url(),
    DATABASE_URL: z.string().startsWith('postgres'),
    NEON_SQL_URL: z.url().optional(),
    UPSTASH_REDIS_REST_URL: z.url(),
    UPSTASH_REDIS_REST_TOKEN: z.string().min(1),
    REQUEST_DEADLINE_MS: z.coerce.number().int().positive().default(5_000),
    REDIS_TIMEOUT_MS: z.coerce.number().int().positive().default(150),
    QSTASH_URL: z.url(),
    QSTASH_TOKEN: z.string().min(1),
    QSTASH_CURRENT_SIGNING_KEY: z.string().min(1),
    QSTASH_NEXT_SIGNING_KEY: z.string().min(1),
    OIDC_ISSUER: z.url(),
    OIDC_CLIENT_ID: z.string().min(1),
    OIDC_CLIENT_SECRET: z.string().min(1),
    STRIPE_API_URL: z.url().default('https://api.stripe.com'),
    STRIPE_SECRET_KEY: z.string().min(1),
    STRIPE_WEBHOOK_SECRET: z.string().min(1),
    DOH_URL: z.url().default('https://cloudflare-dns.com/dns-query'),
    WELL_KNOWN_BASE_URL: z.url().optional(),
    SECRETS_KEY: z.string().regex(KEY, KEY_RULE),
    /** While keys are exchanged: it opens what it has sealed, and seals nothing any more. */
    SECRETS_KEY_PREVIOUS: z
      .string()
      .refine((key) => key === '' || KEY.test(key), KEY_RULE)
      .optional(),
    ALLOW_TEST_CLOCK: flag,
    ALLOW_LOCAL_WEBHOOKS: flag,
  })
  .refine((env) => !(env.BASE_URL.startsWith('https:') && env.ALLOW_TEST_CLOCK), {
    path: ['ALLOW_TEST_CLOCK'],
    message: 'must be off when BASE_URL is https',
  })
  .refine((env) => !(env.BASE_URL.startsWith('https:') && env.ALLOW_LOCAL_WEBHOOKS), {
    path: ['ALLOW_LOCAL_WEBHOOKS'],
    message: 'must be off when BASE_URL is https',
  })
  .refine((env) => !(env.BASE_URL.startsWith('https:') && env.WELL_KNOWN_BASE_URL), {
    path: ['WELL_KNOWN_BASE_URL'],
    message: 'must be left out when BASE_URL is https',
  })
  .transform((env) => ({ ...env, BASE_URL: env.BASE_URL.replace(/\/+$/, '') }))

/** The Worker's settings: URLs and secrets of the services it uses, and two flags for the local stack. */
export type Env = z.infer<typeof bindings>

/** The keys under which something sealed may stand, the newest first. */
export function openingKeys(env: Env): string[] {
  const { SECRETS_KEY, SECRETS_KEY_PREVIOUS } = env
  return SECRETS_KEY_PREVIOUS ? [SECRETS_KEY, SECRETS_KEY_PREVIOUS] : [SECRETS_KEY]
}

const parsed = new WeakMap<object, Env>()

/**
 * Reads and checks the bindings, once per isolate.
 *
 * @throws Error that names each wrong variable and never its value
 */
export function parseEnv(raw: object): Env {
  const known = parsed.get(raw)
  if (known) return known
  const result = bindings.safeParse(raw)
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`settings: ${problems.join('; ')}`)
  }
  parsed.set(raw, result.data)
  return result.data
}
