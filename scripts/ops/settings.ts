/** A setting of the Worker, and where whoever deploys it finds its value. */
export interface Setting {
  name: string
  /** Whether whoever knows it can act for the service or read what it keeps. */
  secret: boolean
  need: 'required' | 'optional' | 'leave out'
  /** In Markdown: where it comes from, what it is for, what to know. */
  source: string
}

/** Every setting of the Worker, in the order in which a deployment comes by them. */
export const SETTINGS: readonly Setting[] = [
  {
    name: 'BASE_URL',
    secret: false,
    need: 'required',
    source:
      'where the Worker will answer: an https origin without a path, for example `https://agent-registry.<your subdomain>.workers.dev`. With https, every other URL here must be https, too. It is the issuer of verification tokens, which platforms have in their settings: after a change they reject every token until they have the new one',
  },
  {
    name: 'DATABASE_URL',
    secret: true,
    need: 'required',
    source:
      'step 1, with the role `registry_worker`: `postgresql://registry_worker:<password>@<host>/neondb?sslmode=require`',
  },
  { name: 'UPSTASH_REDIS_REST_URL', secret: false, need: 'required', source: 'step 2' },
  { name: 'UPSTASH_REDIS_REST_TOKEN', secret: true, need: 'required', source: 'step 2' },
  { name: 'QSTASH_URL', secret: false, need: 'required', source: 'step 3' },
  { name: 'QSTASH_TOKEN', secret: true, need: 'required', source: 'step 3' },
  { name: 'QSTASH_CURRENT_SIGNING_KEY', secret: true, need: 'required', source: 'step 3' },
  {
    name: 'QSTASH_NEXT_SIGNING_KEY',
    secret: true,
    need: 'required',
    source: 'step 3; the Worker refuses to run with the current one here',
  },
  {
    name: 'OIDC_ISSUER',
    secret: false,
    need: 'required',
    source: 'step 4: the address below which `/.well-known/openid-configuration` is found',
  },
  { name: 'OIDC_CLIENT_ID', secret: false, need: 'required', source: 'step 4' },
  { name: 'OIDC_CLIENT_SECRET', secret: true, need: 'required', source: 'step 4' },
  { name: 'STRIPE_SECRET_KEY', secret: true, need: 'required', source: 'step 5' },
  {
    name: 'STRIPE_WEBHOOK_SECRET',
    secret: true,
    need: 'required',
    source: 'step 5: the signing secret of the webhook endpoint',
  },
  {
    name: 'STRIPE_API_URL',
    secret: false,
    need: 'leave out',
    source: "the local stack's; default `https://api.stripe.com`",
  },
  {
    name: 'SECRETS_KEY',
    secret: true,
    need: 'required',
    source:
      '`openssl rand -base64 32`. It encrypts the webhook secrets: keep a copy, they are lost without it',
  },
  {
    name: 'SECRETS_KEY_PREVIOUS',
    secret: true,
    need: 'leave out',
    source: 'but while [keys are rotated](operations.md#rotate-secrets_key)',
  },
  {
    name: 'CREDENTIALS_KEY',
    secret: true,
    need: 'required',
    source:
      '`openssl rand -base64 32`, another one. It makes and checks the last eight characters of session tokens and API keys: keep a copy, all of them end without it. A list, split by commas, while [keys are rotated](operations.md#rotate-credentials_key)',
  },
  {
    name: 'IDENTITY_KEY',
    secret: true,
    need: 'required',
    source:
      '`openssl rand -base64 32`, once. It makes the hash by which two people are told apart, and the links that unsubscribe from mail, and is **never rotated**: no hash could be made again. Keep a copy; [Operations](operations.md#identity_key) says what its loss means',
  },
  {
    name: 'TOKEN_KEYS',
    secret: true,
    need: 'optional',
    source:
      'a JSON array of what `npm run -s admin -- token-key` prints: `[…]`. Private P-256 keys; the first signs verification tokens, all are published at `/.well-known/jwks.json`. Without it no tokens are signed: `GET /verify/{reg}/token` is 404. More than one while [keys are rotated](operations.md#rotate-token_keys)',
  },
  {
    name: 'LOG_KEY',
    secret: true,
    need: 'optional',
    source:
      'what `npm run -s admin -- log-key registry.example/log` prints. It signs the heads of the transparency log: keep a copy. Without it there is no log: `/log/` is 404, and what is to be logged waits. Publish the `vkey` that is printed beside it where you publish what others are to pin',
  },
  {
    name: 'LOG_ORIGIN',
    secret: false,
    need: 'leave out',
    source:
      'the host of `BASE_URL` and `/log`. The name of the log, which **never changes** while it lives; set it before you move to another host',
  },
  {
    name: 'LOG_KEY_NEXT',
    secret: true,
    need: 'leave out',
    source: 'but while [the key is exchanged](operations.md#the-transparency-log)',
  },
  {
    name: 'LOG_WITNESSES',
    secret: false,
    need: 'optional',
    source:
      'lines `witness <name> <vkey> <url>` of a [C2SP trust policy](https://c2sp.org/tlog-policy); each head is shown to them, and served with their cosignatures. Without one a head is your word alone. Witnesses take a log that applies: send them `LOG_ORIGIN` and the `vkey`; ask for a list for tests first',
  },
  {
    name: 'MAIL_API_KEY',
    secret: true,
    need: 'optional',
    source: 'step 6: begins with `re_`. Without it nothing is mailed, and nothing waits',
  },
  {
    name: 'MAIL_FROM',
    secret: false,
    need: 'optional',
    source:
      'step 6: who mails, for example `Agent Registry <registry@mail.registry.example>`; required with `MAIL_API_KEY`',
  },
  {
    name: 'MAIL_WEBHOOK_SECRET',
    secret: true,
    need: 'optional',
    source:
      'step 6: the signing secret of the webhook, `whsec_…`. Without it nobody tells the Worker of bounces and complaints',
  },
  {
    name: 'MAIL_API_URL',
    secret: false,
    need: 'leave out',
    source: "the local stack's; the Worker refuses to run with it, unless `BASE_URL` is on localhost",
  },
  {
    name: 'SECURITY_CONTACT',
    secret: false,
    need: 'optional',
    source:
      'where vulnerabilities are reported: `mailto:`, `https://` or `tel:`, several split by commas. `/.well-known/security.txt` names them; without one there is no such file',
  },
  {
    name: 'DOH_URL',
    secret: false,
    need: 'optional',
    source: 'a resolver that speaks DNS over HTTPS in JSON, default `https://cloudflare-dns.com/dns-query`',
  },
  {
    name: 'WELL_KNOWN_BASE_URL',
    secret: false,
    need: 'leave out',
    source: "the local stack's; the Worker refuses to run with it, unless `BASE_URL` is on localhost",
  },
  {
    name: 'REQUEST_DEADLINE_MS',
    secret: false,
    need: 'optional',
    source:
      "default 5000: how long all network steps of a request may take together; the database's role gives up a statement after 5 s",
  },
  {
    name: 'REDIS_TIMEOUT_MS',
    secret: false,
    need: 'optional',
    source: 'default 150: how long a request waits for its count, where it does',
  },
  { name: 'NEON_SQL_URL', secret: false, need: 'leave out', source: "the local stack's endpoint" },
  {
    name: 'ALLOW_TEST_CLOCK',
    secret: false,
    need: 'leave out',
    source: "the local stack's; the Worker refuses to run with them, unless `BASE_URL` is on localhost",
  },
  {
    name: 'ALLOW_LOCAL_WEBHOOKS',
    secret: false,
    need: 'leave out',
    source: "the local stack's; the Worker refuses to run with them, unless `BASE_URL` is on localhost",
  },
]

/** What the doctor and deployments read beside the settings of the Worker, and never give to it. */
export const OWNER_SETTING: Setting = {
  name: 'OWNER_DATABASE_URL',
  secret: true,
  need: 'required',
  source: "step 1: the owner's connection string. Migrations and the doctor use it; the Worker never gets it",
}
