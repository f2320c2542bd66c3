import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { serve } from '../../local/stand-ins/serve.ts'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import type { Worker } from '../../local/worker.ts'
import { CHECKS, examine } from '../../scripts/ops/doctor.ts'
import { toSite } from '../../scripts/ops/site.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { ownStack } from '../support/harness.ts'
import { settingsOf } from '../support/worker-settings.ts'
import { runBare } from '../support/workerd.ts'

const CLOSED = 'http://127.0.0.1:9'
const PATIENCE_MS = 15_000
const NEON = 'postgresql://registry_worker:x@ep-cool-1.us-east-2.aws.neon.tech/neondb'

const own = await ownStack()
const ends: (() => Promise<unknown>)[] = [own.stop]
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})
afterEach(() => void vi.useRealTimers())

const settings = settingsOf(own.stack.dir)
const owner = own.database_url
const logOrigin = settings.LOG_ORIGIN || `${new URL(settings.BASE_URL ?? '').host}/log`
const site = (changes: Record<string, string> = {}, more = {}) => ({
  ...toSite({ ...settings, OWNER_DATABASE_URL: owner, ...changes }, null),
  patienceMs: PATIENCE_MS,
  ...more,
})

/** The outcome of one check of a site. */
async function outcomeOf(name: string, of = site()) {
  const [finding] = await examine(
    of,
    undefined,
    CHECKS.filter((check) => check.name === name),
  )
  return finding?.outcome
}

/** Starts a Worker with changed settings; returns the unchanged ones, with its address. */
async function otherWorker(changes: Record<string, string>): Promise<Record<string, string>> {
  const port = await freePort()
  const known = {
    ...settings,
    LOG_ORIGIN: logOrigin,
    BASE_URL: `http://localhost:${port}`,
  }
  const worker: Worker = await runBare({ dir: own.stack.dir, port, vars: { ...known, ...changes } })
  ends.push(() => worker.stop())
  return known
}

/** Another server at the address of the Worker. */
async function impostor(
  responses: Record<string, unknown>,
  type = 'application/json',
): Promise<Record<string, string>> {
  const server = await serve('impostor', ({ url = '' }, response) => {
    response.setHeader('Content-Type', type)
    response.statusCode = url in responses ? 200 : 404
    response.end(JSON.stringify(responses[url] ?? {}))
  })
  ends.push(server.stop)
  return { BASE_URL: server.url.replace('127.0.0.1', 'localhost') }
}

const wrong = (said: RegExp) => ({
  state: 'wrong',
  said: expect.stringMatching(said),
  todo: expect.stringMatching(/\w/),
})

describe('the doctor', () => {
  it('finds nothing wrong with the local stack', async () => {
    await own.cron()
    const findings = await examine(site())
    const off = findings.filter(({ outcome }) => outcome.state !== 'ok')
    expect(off.map(({ check, outcome }) => [check.name, outcome])).toEqual([
      ['placement', { state: 'not tried', said: 'a local stack has no placement' }],
      ['https', { state: 'not tried', said: 'a local stack uses http' }],
    ])
  })

  it('accepts static files that are served', async () => {
    expect(await outcomeOf('files', site(await impostor({ '/ui/app.css': '' }, 'text/css')))).toMatchObject({
      state: 'ok',
    })
  })

  it('names the checks that it did not try, and why', async () => {
    const findings = await examine(site({ BASE_URL: 'nowhere' }))
    expect(findings.map(({ outcome }) => outcome.state)).toEqual([
      'wrong',
      ...CHECKS.slice(1).map(() => 'not tried'),
    ])
    const ownerless = { ...site(), ownerUrl: undefined }
    expect(await outcomeOf('migrations', ownerless)).toMatchObject({
      state: 'not tried',
      said: expect.stringMatching(/OWNER_DATABASE_URL/),
    })
  })
})

/** A fault: the check that finds it, the cause, a site with it, and the expected text. */
type Fault = [check: string, fault: string, of: () => Promise<ReturnType<typeof site>>, said: RegExp]

const broken = (sql: string, undo: string) => async () => {
  await own.sql(sql)
  undos.push(undo)
  await outcomeOf('role') // the first statement after a terminated connection fails
  return site()
}
const undos: string[] = []
afterEach(async () => {
  for (const undo of undos.splice(0)) await own.sql(undo)
})

/** Ends the Worker's sessions, which have the old limits, and waits until they have ended. */
const END_SESSIONS = `select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = 'registry_worker'`

const FAULTS: Fault[] = [
  ['rules', 'a setting is missing', async () => site({ QSTASH_TOKEN: '' }), /^QSTASH_TOKEN/],
  [
    'placement',
    'the Worker is placed far from the database',
    async () =>
      site({ DATABASE_URL: NEON }, { placement: { region: 'aws:eu-central-1', where: 'wrangler.toml' } }),
    /must be region = "aws:us-east-2"/,
  ],
  [
    'migrations',
    'the owner cannot sign in',
    async () => site({ OWNER_DATABASE_URL: owner.replace(/:[^:@]+@/, ':x@') }),
    /authentication/,
  ],
  [
    'migrations',
    'one is pending',
    broken(
      `create table kept as select * from drizzle.__drizzle_migrations order by id desc limit 1;
       delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`,
      `insert into drizzle.__drizzle_migrations select * from kept; drop table kept`,
    ),
    /^pending: 00\d\d_/,
  ],
  [
    'functions',
    'one is older than its file',
    broken(
      `update drizzle.sources set sha256 = 'x' || sha256 where name = 'functions/find_key'`,
      `update drizzle.sources set sha256 = substr(sha256, 2) where name = 'functions/find_key'`,
    ),
    /find_key/,
  ],
  ['role', 'the Worker is the owner', async () => site({ DATABASE_URL: owner }), /owns the tables/],
  [
    'role',
    'the password is wrong',
    async () => site({ DATABASE_URL: settings.DATABASE_URL?.replace(/:[^:@]+@/, ':x@') ?? '' }),
    /password|authentication/,
  ],
  [
    'append-only',
    'the Worker may delete events',
    broken(
      'grant delete on activity_events to registry_worker',
      'revoke delete on activity_events from registry_worker',
    ),
    /delete activity_events/,
  ],
  [
    'limits',
    'the role has another limit',
    broken(
      `alter role registry_worker set statement_timeout = '1h';
       ${END_SESSIONS}`,
      `alter role registry_worker set statement_timeout = '5s';
       ${END_SESSIONS}`,
    ),
    /statement_timeout is 1h, not 5s/,
  ],
  ['limiter', 'the token is wrong', async () => site({ UPSTASH_REDIS_REST_TOKEN: 'x' }), /rejected/],
  ['keys', 'the token is wrong', async () => site({ QSTASH_TOKEN: 'x' }), /rejected/],
  [
    'keys',
    'QStash has rotated them',
    async () => site({ QSTASH_CURRENT_SIGNING_KEY: 'sig_other' }),
    /^QSTASH_CURRENT_SIGNING_KEY is not/,
  ],
  [
    'round trip',
    'the Worker is not reachable',
    async () => site({ BASE_URL: 'http://localhost:9' }, { patienceMs: 1_000 }),
    /^no message arrived/,
  ],
  [
    'discovery',
    'the issuer differs by a slash',
    async () => site({ OIDC_ISSUER: `${settings.OIDC_ISSUER}/` }),
    /exactly/,
  ],
  ['client', 'the secret is wrong', async () => site({ OIDC_CLIENT_SECRET: 'x' }), /invalid_client/],
  [
    'redirect',
    'the redirect URI is not registered',
    async () => site({ BASE_URL: 'http://localhost:9' }),
    /rejects a sign-in/,
  ],
  [
    'key',
    'the key is unknown',
    async () => site({ STRIPE_SECRET_KEY: 'rk_test_x' }),
    /rejects the key \(401/,
  ],
  ['key', 'it is a test key', async () => site({}, { placement: { where: 'wrangler.toml' } }), /test key/],
  ['provider', 'the key is wrong', async () => site({ MAIL_API_KEY: 're_x' }), /invalid_api_key/],
  [
    'resolver',
    'it is not a resolver',
    async () => site({ DOH_URL: own.base_url }),
    /not a response of a resolver/,
  ],
  [
    'address',
    'the Worker has another name',
    async () => site({ BASE_URL: own.base_url.replace('localhost', '127.0.0.1') }),
    /its own BASE_URL is http:\/\/localhost/,
  ],
  ['files', 'there are none', async () => site(await impostor({})), /returned 404/],
  [
    'https',
    'the HSTS header is missing',
    async () => site({}, { placement: { where: 'wrangler.toml' } }),
    /lack the header/,
  ],
  [
    'ready',
    'a part of the Worker is down',
    async () => site(await otherWorker({ UPSTASH_REDIS_REST_URL: CLOSED })),
    /degraded: redis down/,
  ],
  [
    'cron',
    'no job has run',
    async () =>
      site(await impostor({ '/ready': { status: 'ok', jobs: {} } }), {
        placement: { where: 'wrangler.toml' },
      }),
    /no job has run/,
  ],
  [
    'settings',
    'the Worker has another signing key, and another value',
    async () =>
      site(await otherWorker({ QSTASH_NEXT_SIGNING_KEY: 'sig_other', STRIPE_SECRET_KEY: 'rk_test_other' })),
    /QSTASH_NEXT_SIGNING_KEY differs, STRIPE_SECRET_KEY differs/,
  ],
  [
    'settings',
    'the Worker rejects the current signing key',
    async () => site({ QSTASH_CURRENT_SIGNING_KEY: 'sig_other' }),
    /^the Worker rejects messages signed with QSTASH_CURRENT_SIGNING_KEY$/,
  ],
  [
    'head',
    'the head is signed with another key',
    async () => site({ LOG_KEY: (await makeSignerKey(logOrigin)).skey }),
    /is not signed with LOG_KEY/,
  ],
  [
    'witnesses',
    'one does not respond',
    async () =>
      site({
        LOG_WITNESSES: `witness w2 ${witnessKey('w2.example', randomBytes(32)).vkey} https://w2.example`,
      }),
    /did not cosign/,
  ],
]

it.each(FAULTS)('%s: finds that %s', async (name, _, of, said) => {
  expect(await outcomeOf(name, await of())).toEqual(wrong(said))
})

it.each([30_000, -30_000])('settings: finds that the clock of this machine is off by %i ms', async (off) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off })
  expect(await outcomeOf('settings')).toMatchObject({
    todo: expect.stringMatching(/the clock of this machine/),
  })
})

it('has a fault for each check', () => {
  const found = new Set(FAULTS.map(([name]) => name))
  expect(CHECKS.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([])
})
