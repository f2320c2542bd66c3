import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withClient } from './migrate.ts'
import { settingsOf } from './worker-settings.ts'

/** Patterns of secrets that must not be stored or logged. */
const PATTERNS = {
  'a session token': 'reg_(sess|cons)_[0-9A-Za-z]{9,}',
  'an API key': 'reg_live_[0-9A-Za-z]{9,}', // the first eight characters, its id, are no secret
  'a webhook secret': 'whsec_[0-9A-Za-z+/_-]{16,}',
  'a webhook signature': 'sha256=[0-9a-f]{64}',
  'a Standard Webhooks signature': 'v1,[0-9A-Za-z+/]{43}=',
  "a payment provider's signature": 't=[0-9]+,v1=[0-9a-f]{64}',
  'a signed token': 'eyJ[0-9A-Za-z_-]{8,}[.][0-9A-Za-z_-]{8,}[.]',
  'a credential in its header': '[Bb]earer +[0-9A-Za-z+/=._-]{16,}',
  'a magic link': '/interaction/[0-9A-Za-z_-]+/link[?]token=',
  'a link that unsubscribes': '/unsubscribe/[0-9a-f-]{36}[.][a-z_]+[.][0-9a-f]{32}',
  'a code of the identity provider': '[?&](code|token|state)=[0-9A-Za-z_-]{16,}',
}
const ANY_PATTERN = new RegExp(Object.values(PATTERNS).join('|'))
const PAGE = 10_000
const SECRET_SETTINGS = /SECRET|TOKEN|SIGNING_KEY|DATABASE_URL/
const SHOWN = 12

/** A secret that was found; `where` is a file and line, or a table. */
interface Found {
  what: string
  where: string
  /** Its first characters. */
  begins: string
}

/**
 * Looks for credentials, secrets and signatures in a text.
 *
 * @param settings secrets of the stack by their names, which are searched for literally
 */
function secretsIn(text: string, where: string, settings: Record<string, string>): Found[] {
  const patterns = Object.entries(PATTERNS).flatMap(([what, pattern]) => {
    const found = new RegExp(pattern).exec(text)?.[0]
    return found ? [{ what, where, begins: found.slice(0, SHOWN) }] : []
  })
  const literals = Object.entries(settings).filter(([, value]) => text.includes(value))
  return [
    ...patterns,
    ...literals.map(([name, value]) => ({ what: name, where, begins: value.slice(0, SHOWN) })),
  ]
}

/** Whether `secretsIn` would find a secret, much faster. */
const holdsAny = (text: string, settings: Record<string, string>) =>
  ANY_PATTERN.test(text) || Object.values(settings).some((value) => text.includes(value))

/** Looks through every log below a folder. */
function secretsInLogs(dir: string, settings: Record<string, string>): Found[] {
  return globSync('**/*.log', { cwd: dir }).flatMap((file) => {
    const log = readFileSync(join(dir, file), 'utf8')
    if (!holdsAny(log, settings)) return []
    return log.split('\n').flatMap((line, n) => secretsIn(line, `${file}:${n + 1}`, settings))
  })
}

/**
 * Looks through every row of every table, as text.
 *
 * @param databaseUrl the owner of the database
 */
async function secretsInTables(databaseUrl: string, settings: Record<string, string>): Promise<Found[]> {
  return withClient(databaseUrl, async (client) => {
    const tables = await client.query("select tablename as name from pg_tables where schemaname = 'public'")
    const found: Found[] = []
    await client.query('begin read only')
    for (const { name } of tables.rows) {
      await client.query(`declare texts cursor for select t::text as text from "${name}" t`)
      for (;;) {
        const { rows } = await client.query<{ text: string }>(`fetch ${PAGE} from texts`)
        if (rows.length === 0) break
        const held = rows.filter(({ text }) => holdsAny(text, settings)) // here, for Postgres takes five times as long
        found.push(...held.flatMap(({ text }) => secretsIn(text, `table ${name}`, settings)))
      }
      await client.query('close texts')
    }
    return found
  })
}

/**
 * Checks that no secret is in the logs or tables of a stack; encrypted secrets are allowed.
 *
 * @param dir folder of the stack
 * @throws Error that lists the places
 */
export async function requireNoSecrets(dir: string, databaseUrl: string): Promise<void> {
  const settings = secretsOf(dir)
  requireNone([...secretsInLogs(dir, settings), ...(await secretsInTables(databaseUrl, settings))])
}

/** The same for logs only, if the database is down. */
export function requireNoLoggedSecrets(dir: string): void {
  requireNone(secretsInLogs(dir, secretsOf(dir)))
}

function requireNone(found: readonly Found[]): void {
  const lines = found.map(({ what, where, begins }) => `${where}: ${what} (${begins}…)`)
  if (lines.length > 0) throw new Error(`secrets after the tests:\n${[...new Set(lines)].join('\n')}`)
}

/** The Worker's secret settings; of the database URL, only the password, and of the token keys, only the private part. */
function secretsOf(dir: string): Record<string, string> {
  const all = Object.entries(settingsOf(dir))
  const secret = all.filter(
    ([name]) => SECRET_SETTINGS.test(name) || /^(CREDENTIALS|IDENTITY|LOG|MAIL_API)_KEY$/.test(name),
  )
  return Object.fromEntries(secret.flatMap(([name, value]) => secretParts(name, value)))
}

function secretParts(name: string, value: string): [string, string][] {
  if (name === 'DATABASE_URL') return [[name, decodeURIComponent(new URL(value).password)]]
  if (name !== 'TOKEN_KEYS') return [[name, value]]
  const keys: { d: string }[] = JSON.parse(value)
  return keys.map(({ d }, n) => [`${name}.${n}`, d])
}
