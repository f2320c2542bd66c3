import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { deploy } from '../../scripts/deploy.ts'
import { CHECKS } from '../../scripts/ops/doctor.ts'
import { toSite } from '../../scripts/ops/site.ts'
import { shared } from '../support/harness.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const settings = settingsOf(inject('stack_dir'))
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
let dir: string
let recorded: () => Record<string, unknown>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'registry-wrangler-'))
  process.env.WRANGLER = join(dir, 'wrangler.cjs')
  await writeFile(process.env.WRANGLER, WRANGLER)
  recorded = () => JSON.parse(readFileSync(join(dir, 'wrangler.cjs.json'), 'utf8'))
})
afterAll(async () => {
  delete process.env.WRANGLER
  await rm(dir, { recursive: true, force: true })
})

/** Deploys with the settings of the stack and these changes. */
async function deployWith(changes: Record<string, string>) {
  const printed: string[] = []
  const say = (line: string) => printed.push(line)
  const site = toSite({ ...settings, OWNER_DATABASE_URL: h.database_url, ...changes }, null)
  const error = await deploy(site, 'production', { say, smokeMs: 1, checks }).then(
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
    expect(existsSync(String(recorded().file))).toBe(false)
  })

  it('does not start if a check fails or OWNER_DATABASE_URL is missing', async () => {
    await rm(join(dir, 'wrangler.cjs.json'))
    const rejected = [
      await deployWith({ QSTASH_TOKEN: 'wrong' }),
      await deployWith({ OWNER_DATABASE_URL: '' }),
    ]
    expect(rejected.map(({ error }) => error)).toEqual([
      'not deployed: checks that failed, see above: 1',
      expect.stringMatching(/^OWNER_DATABASE_URL is missing/),
    ])
    expect(existsSync(join(dir, 'wrangler.cjs.json'))).toBe(false)
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
