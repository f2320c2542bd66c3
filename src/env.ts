import * as z from 'zod'
import { isLoopback } from './lib/host.ts'
import { logPath } from './lib/log-path.ts'

const flag = z
  .enum(['true', 'false', ''])
  .optional()
  .transform((value) => value === 'true')

const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/ // canonical base64: the unused bits of the last character are 0
const KEY_RULE = 'must be 32 bytes in base64'
const COORDINATE = /^[\w-]{42}[AEIMQUYcgkosw048]$/ // 32 bytes in canonical base64url
const TOKEN_KEYS_RULE = 'must be a JSON array of private P-256 keys'
const WAIT_MAX_MS = 60_000
const LOCAL_ONLY = [
  'ALLOW_TEST_CLOCK',
  'ALLOW_LOCAL_WEBHOOKS',
  'WELL_KNOWN_BASE_URL',
  'MAIL_API_URL',
] as const
const OTHERS = [
  ...['NEON_SQL_URL', 'UPSTASH_REDIS_REST_URL', 'QSTASH_URL', 'OIDC_ISSUER', 'STRIPE_API_URL', 'DOH_URL'],
  'WELL_KNOWN_BASE_URL',
] as const

const SENDER = /^(?:[^\p{Cc}<>]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u
const SENDER_RULE = 'must be an address, or a name and an address: Registry <registry@mail.example>'
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/]+=*$/
const WEBHOOK_SECRET_RULE = 'must be the signing secret of the webhook, which begins with whsec_'
const LOG_KEY = /^PRIVATE\+KEY\+[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/

const key = z.string().regex(KEY, KEY_RULE)
const logKey = z.string().regex(LOG_KEY, 'must be a key printed by "admin -- log-key"').or(z.literal(''))
const address = z.url({ protocol: /^https?$/, error: 'must be a URL that starts with https:// or http://' })
const given = z.string().min(1)
const wait = z.coerce.number().int().positive().max(WAIT_MAX_MS)

const CONTACT = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/

const coordinate = z
  .string('must be 32 bytes in base64url')
  .regex(COORDINATE, 'must be 32 bytes in base64url')

/** Private JSON Web Keys; other members are dropped. */
const tokenKeys = z
  .array(
    z.object(
      {
        kty: z.literal('EC', 'must be EC'),
        crv: z.literal('P-256', 'must be P-256'),
        x: coordinate,
        y: coordinate,
        d: coordinate,
      },
      'must be a private P-256 key',
    ),
    TOKEN_KEYS_RULE,
  )
  .min(1, TOKEN_KEYS_RULE)
  .refine((keys) => new Set(keys.map(({ x }) => x)).size === keys.length, 'must name each key once')

/** The origin under which the service is served, in its normal form. */
const baseUrl = z.string().transform((text, { addIssue }) => {
  const url = URL.parse(text)
  const problem = url ? originProblem(url) : 'must be a URL'
  if (url && !problem) return url.origin
  addIssue({ code: 'custom', message: problem ?? '' })
  return z.NEVER
})

function originProblem(url: URL): string | null {
  if (!['https:', 'http:'].includes(url.protocol)) return 'must start with https:// or http://'
  if (url.username || url.password) return 'must not contain a username or password'
  if (url.pathname !== '/' || url.search || url.hash)
    return 'must be an origin, without path, query, or fragment'
  return null
}

/** The binding of the static files. */
interface Files {
  fetch(url: string): Promise<Response>
}

const bindings = z
  .object({
    ASSETS: z.custom<Files>((value) => typeof value === 'object' && value !== null && 'fetch' in value, {
      error: 'must be the binding of the static files',
    }),
    /** Cloudflare's id of the running version, the commit and the time of its deployment; not in every runtime. */
    VERSION: z.object({ id: z.string(), tag: z.string(), timestamp: z.string() }).optional(),
    BASE_URL: baseUrl,
    DATABASE_URL: z.url({
      protocol: /^postgres(ql)?$/,
      error: 'must be a URL that starts with postgresql://',
    }),
    NEON_SQL_URL: address.optional(),
    UPSTASH_REDIS_REST_URL: address,
    UPSTASH_REDIS_REST_TOKEN: given,
    REQUEST_DEADLINE_MS: wait.default(5_000),
    REDIS_TIMEOUT_MS: wait.default(150),
    QSTASH_URL: address,
    QSTASH_TOKEN: given,
    QSTASH_CURRENT_SIGNING_KEY: given,
    QSTASH_NEXT_SIGNING_KEY: given,
    OIDC_ISSUER: address,
    OIDC_CLIENT_ID: given,
    OIDC_CLIENT_SECRET: given,
    STRIPE_API_URL: address.default('https://api.stripe.com'),
    STRIPE_SECRET_KEY: given,
    STRIPE_WEBHOOK_SECRET: given,
    /** Without it, no mail is sent. */
    MAIL_API_KEY: z.string().optional(),
    MAIL_FROM: z.string().regex(SENDER, SENDER_RULE).or(z.literal('')).optional(),
    MAIL_API_URL: address.optional(),
    /** Signs the provider's webhooks about bounces and complaints; without it, they are rejected. */
    MAIL_WEBHOOK_SECRET: z.string().regex(WEBHOOK_SECRET, WEBHOOK_SECRET_RULE).or(z.literal('')).optional(),
    DOH_URL: address.default('https://cloudflare-dns.com/dns-query'),
    WELL_KNOWN_BASE_URL: address.optional(),
    SECRETS_KEY: key,
    /** The old key during a rotation: it only decrypts. */
    SECRETS_KEY_PREVIOUS: key.or(z.literal('')).optional(),
    /** The first key makes the checks of new credentials; checks of all keys are accepted. */
    CREDENTIALS_KEY: z
      .string()
      .transform((list) => list.split(','))
      .refine((keys) => keys.every((one) => KEY.test(one)), `each of the list, split by commas, ${KEY_RULE}`)
      .refine((keys) => new Set(keys).size === keys.length, 'must name each key once'),
    /** The first key signs verification tokens, all are published; without keys, no tokens are signed. */
    TOKEN_KEYS: z
      .string()
      .optional()
      .transform((text, { addIssue }) => {
        try {
          return text ? JSON.parse(text) : undefined
        } catch {
          // The engine's message would repeat the secret.
          addIssue({ code: 'custom', message: TOKEN_KEYS_RULE })
          return z.NEVER
        }
      })
      .pipe(tokenKeys.optional().transform((keys) => keys ?? [])),
    /** The key of the hash that identifies a person. Never rotated, because existing hashes cannot be computed again. */
    IDENTITY_KEY: key,
    /** The permanent name of the transparency log; `<host>/log` if omitted. */
    LOG_ORIGIN: z
      .string()
      .refine(
        (origin) => origin === '' || logPath(origin) !== null,
        'must have the form registry.example/log or registry.example/log/2',
      )
      .optional(),
    /** Signs the heads of the log; without it, the log is off. */
    LOG_KEY: logKey.optional(),
    /** The new key during a rotation: heads are signed with both. */
    LOG_KEY_NEXT: logKey.optional(),
    /** Lines `witness <name> <vkey> <url>` of a trust policy: the witnesses that cosign each head. */
    LOG_WITNESSES: z.string().optional(),
    /** Contacts for reporting vulnerabilities, separated by commas; without it, there is no security.txt. */
    SECURITY_CONTACT: z
      .string()
      .default('')
      .transform((list) => list.split(',').filter((one) => one !== ''))
      .refine(
        (contacts) => contacts.every((one) => CONTACT.test(one)),
        'each of the list, split by commas, must start with mailto:, https://, or tel:',
      ),
    /** Rejects writes, and stops the jobs, while the database is restored. */
    READ_ONLY: flag,
    ALLOW_TEST_CLOCK: flag,
    ALLOW_LOCAL_WEBHOOKS: flag,
  })
  .transform((env, { addIssue }) => {
    const reject = (name: keyof typeof env, message: string) =>
      addIssue({ code: 'custom', path: [name], message })
    const isLocal = isLoopback(new URL(env.BASE_URL).hostname)
    for (const name of LOCAL_ONLY) {
      if (env[name] && !isLocal) reject(name, 'must not be set unless BASE_URL is on localhost')
    }
    for (const name of OTHERS) {
      const url = env[name]
      if (url && env.BASE_URL.startsWith('https:') && new URL(url).protocol !== 'https:') {
        reject(name, 'must use https, because BASE_URL does')
      }
    }
    if (env.MAIL_API_KEY && !env.MAIL_FROM)
      reject('MAIL_FROM', 'must be set to the sender of emails when MAIL_API_KEY is set')
    if (env.QSTASH_CURRENT_SIGNING_KEY === env.QSTASH_NEXT_SIGNING_KEY) {
      reject('QSTASH_NEXT_SIGNING_KEY', 'must differ from QSTASH_CURRENT_SIGNING_KEY')
    }
    if (env.CREDENTIALS_KEY.some((one) => openingKeys(env).includes(one))) {
      reject('CREDENTIALS_KEY', 'must not contain a key of SECRETS_KEY')
    }
    if ([...openingKeys(env), ...env.CREDENTIALS_KEY].includes(env.IDENTITY_KEY)) {
      reject('IDENTITY_KEY', 'must differ from SECRETS_KEY and CREDENTIALS_KEY')
    }
    return { ...env, LOG_ORIGIN: env.LOG_ORIGIN || `${new URL(env.BASE_URL).host}/log` }
  })

/** The settings of the Worker: URLs and secrets of the services it uses, and two flags for the local stack. */
export type Env = z.infer<typeof bindings>

/** The keys with which stored secrets may be encrypted, the newest first. */
export function openingKeys({
  SECRETS_KEY,
  SECRETS_KEY_PREVIOUS,
}: Pick<Env, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>): string[] {
  return SECRETS_KEY_PREVIOUS ? [SECRETS_KEY, SECRETS_KEY_PREVIOUS] : [SECRETS_KEY]
}

const parsed = new WeakMap<object, Env>()

/**
 * Reads and checks the bindings, once per isolate.
 *
 * @throws Error that names each invalid variable but never its value
 */
export function parseEnv(raw: object): Env {
  const known = parsed.get(raw)
  if (known) return known
  const result = bindings.safeParse(raw)
  if (!result.success) {
    const problems = result.error.issues.map(({ code, path, message }) => {
      const [name = ''] = path
      const isMissing = code !== 'custom' && path.length === 1 && Reflect.get(raw, name) === undefined
      return `${path.join('.')}: ${isMissing ? 'is missing' : message}`
    })
    throw new Error(`settings: ${problems.join('; ')}`)
  }
  parsed.set(raw, result.data)
  return result.data
}
