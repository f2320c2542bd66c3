import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { deploy } from '../../scripts/deploy.ts'
import { CHECKS } from '../../scripts/ops/doctor.ts'
import { toSite } from '../../scripts/ops/site.ts'
import { expectError, shared } from '../support/harness.ts'
import { testFolder } from '../support/test-folder.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const settings = settingsOf(h.dir)
const checks = CHECKS.filter(({ name }) =>
  ['rules', 'migrations', 'keys', 'address', 'settings'].includes(name),
)

/** A stand-in for wrangler: records its arguments, and the settings file with its mode. */
const WRANGLER = `const { readFileSync, statSync, writeFileSync } = require('node:fs')
const args = process.argv.slice(2)
const file = args[args.indexOf('--secrets-file') + 1]
const call = { args, file, mode: statSync(file).mode & 0o777, settings: JSON.parse(readFileSync(file, 'utf8')) }
writeFileSync(__filename + '.json', JSON.stringify(call))
process.exitCode = Number(process.env.WRANGLER_STATUS ?? 0)
`
const file = join(testFolder(), 'wrangler.cjs')
const record = `${file}.json`
const recorded = () => JSON.parse(readFileSync(record, 'utf8'))

beforeAll(() => {
  writeFileSync(file, WRANGLER)
  process.env.WRANGLER = file
})
afterAll(() => void delete process.env.WRANGLER)

/** Deploys with the settings of the stack and these changes. */
async function deployWith(changes: Record<string, string>, named: readonly string[] = Object.keys(changes)) {
  const printed: string[] = []
  const say = (line: string) => printed.push(line)
  const site = toSite({ ...settings, OWNER_DATABASE_URL: h.database_url, ...changes }, null)
  const error = await deploy(site, 'production', { say, smokeMs: 1, checks, changes: named }).then(
    () => null,
    (reason: Error) => reason.message,
  )
  return { printed, error }
}

describe('a deployment', () => {
  it('passes wrangler every setting but OWNER_DATABASE_URL, in a private file that it deletes afterward', async () => {
    const { printed, error } = await deployWith({})
    expect(error).toBeNull()
    expect(printed.map((line) => line.slice(0, 9).trim())).toEqual([...checks.map(() => 'ok'), 'deployed'])
    expect(recorded()).toEqual({
      args: [
        'deploy',
        '--minify',
        '--env',
        'production',
        '--secrets-file',
        recorded().file,
        '--tag',
        expect.stringMatching(/^[0-9a-f]{12}$/),
      ],
      file: expect.any(String),
      mode: 0o600,
      settings,
    })
    expect(existsSync(recorded().file)).toBe(false)
  })

  it('does not start if a check fails or OWNER_DATABASE_URL is missing', async () => {
    rmSync(record)
    const rejected = [
      await deployWith({ QSTASH_TOKEN: 'wrong' }),
      await deployWith({ OWNER_DATABASE_URL: '' }),
    ]
    expect(rejected.map(({ error }) => error)).toEqual([
      'not deployed: checks that failed, see above: 1',
      expect.stringMatching(/^OWNER_DATABASE_URL is missing/),
    ])
    expect(existsSync(record)).toBe(false)
  })

  it('does not start with an old settings file, and names what differs, without values', async () => {
    const old = { STRIPE_SECRET_KEY: 'rk_test_old', OIDC_CLIENT_SECRET: 'old' }
    const { error } = await deployWith(old, ['OIDC_CLIENT_SECRET'])
    expect(error).toBe(
      'the Worker has other values than this file: STRIPE_SECRET_KEY. Is the file old? To change them, name them: --change STRIPE_SECRET_KEY',
    )
    expect((await deployWith({ QSTASH_CURRENT_SIGNING_KEY: 'old' }, [])).error).toMatch(
      /: QSTASH_CURRENT_SIGNING_KEY\. Is the file old/,
    )
    expect(existsSync(record)).toBe(false)
  })

  it('prints failed checks after the deployment, and how to roll back', async () => {
    const { printed, error } = await deployWith({ STRIPE_SECRET_KEY: 'rk_test_other' })
    expect(printed.at(-1)).toMatch(/^wrong +Worker +settings .*STRIPE_SECRET_KEY differs/)
    expect(error).toMatch(
      /^deployed, but checks failed, see above: 1; .* wrangler rollback --env production$/,
    )
  })

  it('fails if wrangler fails', async () => {
    process.env.WRANGLER_STATUS = '3'
    const { error } = await deployWith({}).finally(() => delete process.env.WRANGLER_STATUS)
    expect(error).toBe('wrangler deploy failed with status 3')
  })
})

it('a read-only Worker serves reads, and rejects writes, sign-ins, and messages of QStash with 503 and Retry-After', async () => {
  const { key, reg } = await h.newReporter()
  await using worker = await h.variant({ READ_ONLY: 'true' })
  const rows = () =>
    h.sql(
      'select count(*)::integer from activity_events where agent_id = (select id from agents where reg = $1)',
      [reg],
    )
  const before = await rows()
  for (const path of [`/agents/${reg}`, `/verify/${reg}`, '//ready', `//agents/${reg}`])
    expect((await worker.api('GET', path)).status, path).toBe(200)
  const rejected = [
    await worker.api('POST', '/activity/report', { token: key, body: { reg, event_type: 'heartbeat' } }),
    await worker.api('GET', '/auth/sign-in?email=a@b.example'),
    await worker.api('GET', '/auth/callback'),
    await worker.api('GET', '//console/sign-in'),
    await worker.api('POST', '//internal/webhooks/relay', { body: {} }),
  ]
  for (const response of rejected) {
    expectError(response, 503, 'SERVICE_UNAVAILABLE', /read-only/)
    expect(response.headers.get('retry-after')).toBe('300')
  }
  await runCron(worker.url, new Date())
  expect(await rows()).toEqual(before)
})
