/** A setting of the Worker, and where to find its value. */
export interface Setting {
  name: string
  /** Whether its value allows acting for the service or reading its data. */
  secret: boolean
  need: 'required' | 'optional' | 'do not set'
  /** Where the value comes from and what it is for, in Markdown. */
  source: string
}

/** Every setting of the Worker, in the order in which a deployment obtains them. */
export const SETTINGS: readonly Setting[] = [
  {
    name: 'BASE_URL',
    secret: false,
    need: 'required',
    source:
      'the public URL of the Worker: an https origin without a path, for example `https://agent-registry.<your subdomain>.workers.dev`. If it uses https, every other URL here must use https, too. It is also the issuer of verification tokens, which verifiers configure: after a change, they reject every token until they configure the new issuer',
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
    source: 'step 3; must differ from `QSTASH_CURRENT_SIGNING_KEY`',
  },
  {
    name: 'OIDC_ISSUER',
    secret: false,
    need: 'required',
    source: 'step 4: the issuer URL, below which `/.well-known/openid-configuration` is served',
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
    need: 'do not set',
    source: 'for the local stack only; default `https://api.stripe.com`',
  },
  {
    name: 'SECRETS_KEY',
    secret: true,
    need: 'required',
    source:
      '`openssl rand -base64 32`. Encrypts the webhook secrets. Keep a copy: without the key, they are lost',
  },
  {
    name: 'SECRETS_KEY_PREVIOUS',
    secret: true,
    need: 'do not set',
    source: 'except while [the key is rotated](secrets.md#secrets_key)',
  },
  {
    name: 'CREDENTIALS_KEY',
    secret: true,
    need: 'required',
    source:
      '`openssl rand -base64 32`, different from `SECRETS_KEY`. Used for the checksum at the end of session tokens and API keys. Keep a copy: without the key, all of them become invalid. A comma-separated list while [the key is rotated](secrets.md#credentials_key)',
  },
  {
    name: 'IDENTITY_KEY',
    secret: true,
    need: 'required',
    source:
      '`openssl rand -base64 32`, different from the other keys. Used for the hash that distinguishes people, and for unsubscribe links in emails. It is **never rotated**, because the hashes cannot be computed again. Keep a copy; [Rotate secrets](secrets.md#identity_key) explains the consequences of losing it',
  },
  {
    name: 'TOKEN_KEYS',
    secret: true,
    need: 'optional',
    source:
      'a JSON array of private P-256 keys, `[…]`, as `npm run -s admin -- token-key` prints them. The first key signs verification tokens; the public parts of all keys are published at `/.well-known/jwks.json`. Without it, no tokens are signed, and `GET /verify/{reg}/token` returns 404. More than one key while [keys are rotated](secrets.md#token_keys)',
  },
  {
    name: 'LOG_KEY',
    secret: true,
    need: 'optional',
    source:
      'the key that `npm run -s admin -- log-key registry.example/log` prints, with the log origin in place of `registry.example/log`. Signs the heads of the transparency log. Keep a copy. Without it, there is no log: `/log/` returns 404, and entries wait until the key is set. The command also prints a `vkey`: publish it, so that others can pin it',
  },
  {
    name: 'LOG_ORIGIN',
    secret: false,
    need: 'do not set',
    source:
      'the name of the transparency log; default: the host of `BASE_URL` followed by `/log`. It must **never change** while the log is in use, so set it to the old name before you move to another host',
  },
  {
    name: 'LOG_KEY_NEXT',
    secret: true,
    need: 'do not set',
    source: 'except while [the key is rotated](secrets.md#log_key)',
  },
  {
    name: 'LOG_WITNESSES',
    secret: false,
    need: 'optional',
    source:
      'the witnesses of the log, as lines `witness <name> <vkey> <url>` of a [C2SP trust policy](https://c2sp.org/tlog-policy). Each head is sent to them, and served with their cosignatures. Without witnesses, a head is only your own statement. Operators of witnesses add a log on request: send them `LOG_ORIGIN` and the `vkey`, and start with their list for tests',
  },
  {
    name: 'MAIL_API_KEY',
    secret: true,
    need: 'optional',
    source: 'step 6: starts with `re_`. Without it, no emails are sent, and queued emails are deleted',
  },
  {
    name: 'MAIL_FROM',
    secret: false,
    need: 'optional',
    source:
      'step 6: the sender, for example `Agent Registry <registry@mail.registry.example>`; required if `MAIL_API_KEY` is set',
  },
  {
    name: 'MAIL_WEBHOOK_SECRET',
    secret: true,
    need: 'optional',
    source:
      'step 6: the signing secret of the webhook, `whsec_…`. Without it, the Worker receives no bounces and complaints',
  },
  {
    name: 'MAIL_API_URL',
    secret: false,
    need: 'do not set',
    source: 'for the local stack only; rejected unless `BASE_URL` is on localhost',
  },
  {
    name: 'SECURITY_CONTACT',
    secret: false,
    need: 'optional',
    source:
      'the contact for vulnerability reports, shown in `/.well-known/security.txt`: a URL that starts with `mailto:`, `https://`, or `tel:`, or a comma-separated list. Without it, there is no such file',
  },
  {
    name: 'DOH_URL',
    secret: false,
    need: 'optional',
    source: 'a resolver that supports DNS over HTTPS in JSON; default `https://cloudflare-dns.com/dns-query`',
  },
  {
    name: 'WELL_KNOWN_BASE_URL',
    secret: false,
    need: 'do not set',
    source: 'for the local stack only; rejected unless `BASE_URL` is on localhost',
  },
  {
    name: 'REQUEST_DEADLINE_MS',
    secret: false,
    need: 'optional',
    source:
      'the deadline for all network steps of a request together; default 5000. A longer one has no effect on SQL statements, which time out after 5 s',
  },
  {
    name: 'REDIS_TIMEOUT_MS',
    secret: false,
    need: 'optional',
    source: 'how long a request waits for Redis, if it has to wait for its count; default 150',
  },
  {
    name: 'NEON_SQL_URL',
    secret: false,
    need: 'do not set',
    source: 'for the local stack only: the endpoint that replaces that of Neon',
  },
  {
    name: 'READ_ONLY',
    secret: false,
    need: 'optional',
    source:
      '`true` while [the database is restored](runbook.md#restore-the-database): reads go on, writes and sign-ins get 503, and no job runs',
  },
  {
    name: 'ALLOW_TEST_CLOCK',
    secret: false,
    need: 'do not set',
    source: 'for the local stack only; rejected unless `BASE_URL` is on localhost',
  },
  {
    name: 'ALLOW_LOCAL_WEBHOOKS',
    secret: false,
    need: 'do not set',
    source: 'for the local stack only; rejected unless `BASE_URL` is on localhost',
  },
]

/** A setting that only the doctor and deployments read; the Worker never receives it. */
export const OWNER_SETTING: Setting = {
  name: 'OWNER_DATABASE_URL',
  secret: true,
  need: 'required',
  source:
    "step 1: the owner's connection string. Used by the doctor and by `npm run deploy`; never given to the Worker",
}
