import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findPlacement, placementProblem } from '../../scripts/ops/placement.ts'
import { ALL_SETTINGS, OWNER_SETTING } from '../../scripts/ops/settings.ts'
import { settingsTemplate } from '../../scripts/ops/template.ts'
import { API_VERSION } from '../../src/kyc/stripe.ts'
import { readPage } from '../support/docs-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAME = /^ {4}([A-Z_]+):/gm
const BOUND = ['ASSETS', 'VERSION'] // bindings from wrangler.toml, not settings

const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, words, { cwd: ROOT }).catch((error) => error)

describe('the placement of a deployment', () => {
  const problemOf = (region: string | undefined, databaseUrl: string) =>
    placementProblem({ region, where: 'here' }, databaseUrl)
  const neon = (below: string) =>
    `postgresql://owner:secret@ep-cool-1.${below}.neon.tech/neondb?sslmode=require`

  it('must be the region of the database, if its address names it', () => {
    expect(problemOf('aws:eu-central-1', neon('eu-central-1.aws'))).toBeNull()
    expect(problemOf('azure:eastus2', neon('c-2.eastus2.azure'))).toBeNull()
    const problem = 'here: must be region = "aws:us-east-2", the region of the database in DATABASE_URL'
    expect(problemOf('aws:eu-central-1', neon('us-east-2.aws'))).toBe(problem)
    expect(problemOf(undefined, neon('us-east-2.aws'))).toBe(problem)
  })

  it.each(['', 'no URL', 'postgresql://owner@db.example.org/x'])(
    'is not checked for the database address %j',
    (url) => {
      expect(problemOf('aws:eu-central-1', url)).toBeNull()
    },
  )

  it.each(['staging', 'production'])('is set for %s', async (environment) => {
    expect((await findPlacement(environment)).region).toMatch(/^aws:/)
  })

  it('is rejected for an environment that wrangler.toml does not have', async () => {
    await expect(findPlacement('live')).rejects.toThrow(
      'No environment found in configuration with name "live"',
    )
  })
})

describe('the settings of a deployment', () => {
  it('are those that the Worker reads', () => {
    const read = readFileSync(join(ROOT, 'src/env.ts'), 'utf8').matchAll(NAME)
    const names = [...read].map(([, name]) => name).filter((name) => !BOUND.includes(name ?? ''))
    expect(ALL_SETTINGS.map(({ name }) => name).sort()).toEqual([...names, OWNER_SETTING].sort())
  })

  it('are documented with the API version of Stripe', () => {
    expect(readPage('operate/deploy.md')).toContain(`in the API version \`${API_VERSION}\`.`)
  })

  it('are all in the template, optional ones commented out', () => {
    const lines = settingsTemplate().split('\n')
    for (const { name, need } of ALL_SETTINGS) {
      const line = { required: `${name}=`, optional: `# ${name}=`, 'do not set': undefined }[need]
      expect(lines.filter((one) => one.replace(/^# /, '') === `${name}=`)).toEqual(line ? [line] : [])
    }
    expect(settingsTemplate()).not.toMatch(/\]\(/)
  })
})

describe('npm run deploy', () => {
  it.each([
    [[], /^usage: npm run deploy -- --env production --from production\.env /m],
    [
      ['--env', 'production', '--from', 'none.env'],
      /none\.env: file not found; to create it, run npm run -s ops -- template/,
    ],
    [['--env', 'live', '--from', 'package.json'], /No environment found in configuration with name "live"/],
  ])('rejects %j', async (words, said) => {
    expect(await run('scripts/deploy.ts', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(said),
    })
  })
})

describe('npm run ops', () => {
  it.each([
    [['doktor'], /^unknown command 'doktor'/],
    [['doctor', '--from', 'x'], /^--from and --env require each other/],
    [['set', '--env', 'production'], /^--from and --env are required/],
    [['rotate', 'IDENTITY_KEY', '--from', 'x', '--env', 'production'], /^must be SECRETS_KEY/],
  ])('rejects %j', async (words, said) => {
    expect(await run('scripts/ops.ts', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(said),
    })
  })

  it('prints the settings template and its usage', async () => {
    expect(await run('scripts/ops.ts', 'template')).toMatchObject({ stdout: `${settingsTemplate()}\n` })
    expect(await run('scripts/ops.ts', '--help')).toMatchObject({ stdout: expect.stringMatching(/^usage:/) })
  })
})
