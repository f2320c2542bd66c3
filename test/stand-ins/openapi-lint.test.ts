import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'

const ROOT = join(import.meta.dirname, '../..')
const SILENT = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openapi-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('the OpenAPI document has no finding of Redocly', async () => {
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(buildDocument('https://registry.example')))
  const cli = join(ROOT, 'node_modules/.bin/redocly')
  const { status, stdout, stderr } = spawnSync(cli, ['lint', file, '--format', 'json'], {
    cwd: ROOT,
    env: { ...process.env, ...SILENT },
    encoding: 'utf8',
  })
  const start = stdout.indexOf('{')
  if (start < 0) throw new Error(`redocly: ${stderr}`)
  const { problems } = JSON.parse(stdout.slice(start)) as { problems: { ruleId: string; message: string }[] }
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  expect(status).toBe(0)
})
