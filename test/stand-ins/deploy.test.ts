import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { deployProblem, findSettings, placementProblem } from '../../scripts/deploy.ts'

const ROOT = join(import.meta.dirname, '../..')
const dir = mkdtempSync(join(tmpdir(), 'registry-deploy-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('a BASE_URL that would be deployed', () => {
  it.each(['https://registry.example.org', 'HTTPS://registry.example.org/', undefined])(
    'may be %s',
    (BASE_URL) => {
      expect(deployProblem({ BASE_URL, where: 'here' })).toBeNull()
    },
  )

  it.each([
    ['http://localhost:8787', /^here: BASE_URL is on localhost/],
    ['https://localhost', /^here: BASE_URL is on localhost/],
    ['http://127.0.0.1:8787', /^here: BASE_URL is on localhost/],
    ['http://[::1]', /^here: BASE_URL is on localhost/],
    ['http://registry.example.org', /^here: BASE_URL must begin with https/],
    ['https://registry.example.org/api', /^here: BASE_URL must end after its host/],
    ['registry.example.org', /^here: BASE_URL must be a URL/],
    ['', /^here: BASE_URL must be a URL/],
    [8787, /^here: BASE_URL/],
  ])('may not be %s', (BASE_URL, problem) => {
    expect(deployProblem({ BASE_URL, where: 'here' })).toMatch(problem)
  })

  it('is found where wrangler finds it: in its file, the environment of it, or an option', async () => {
    const file = join(dir, 'wrangler.toml')
    writeFileSync(
      file,
      `name = "a"\n[vars]\nBASE_URL = "http://localhost:1"\n[env.live.vars]\nBASE_URL = "https://live.example"\n`,
    )
    const found = async (...args: string[]) => (await findSettings(['--config', file, ...args])).BASE_URL
    expect(await found()).toBe('http://localhost:1')
    expect(await found('--env', 'live')).toBe('https://live.example')
    expect(await found('-e', 'live', '--var', 'A:b', '--var', 'BASE_URL:https://a.example')).toBe(
      'https://a.example',
    )
  })
})

describe('a placement that would be deployed', () => {
  const problemOf = (region: string | undefined, databaseUrl: string | undefined) =>
    placementProblem({ region }, 'here', databaseUrl)
  const neon = (below: string) =>
    `postgresql://owner:secret@ep-cool-1.${below}.neon.tech/neondb?sslmode=require`

  it('is the region of the database, where its address tells it', () => {
    expect(problemOf('aws:eu-central-1', neon('eu-central-1.aws'))).toBeNull()
    expect(problemOf('azure:eastus2', neon('c-2.eastus2.azure'))).toBeNull()
    const problem =
      'here: [placement] must be region = "aws:us-east-2", where the database of DATABASE_URL is'
    expect(problemOf('aws:eu-central-1', neon('us-east-2.aws'))).toBe(problem)
    expect(problemOf(undefined, neon('us-east-2.aws'))).toBe(problem)
  })

  it.each([undefined, '', 'no URL', 'postgresql://owner@db.example.org/x'])('is not judged by %j', (url) => {
    expect(problemOf('aws:eu-central-1', url)).toBeNull()
  })

  it('of the repository names a region', async () => {
    expect((await findSettings([])).placement).toEqual({ region: expect.stringMatching(/^aws:/) })
  })
})

it('npm run deploy refuses the BASE_URL of the local stack, and says where it stands', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/deploy.ts'], { cwd: ROOT })
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^wrangler\.toml, \[vars\]: BASE_URL is on localhost/),
  })
})
