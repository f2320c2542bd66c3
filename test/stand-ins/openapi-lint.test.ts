import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { lintWithSpectral } from '../support/spectral.ts'

const ROOT = join(import.meta.dirname, '../..')
const SILENT = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openapi-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const document = buildDocument('https://registry.example')

async function lintWithRedocly(document: object, name: string) {
  const file = join(folder, name)
  await writeFile(file, JSON.stringify(document))
  const cli = join(ROOT, 'node_modules/.bin/redocly')
  const { status, stdout, stderr } = spawnSync(cli, ['lint', file, '--format', 'json'], {
    cwd: ROOT,
    env: { ...process.env, ...SILENT },
    encoding: 'utf8',
  })
  const start = stdout.indexOf('{')
  if (start < 0) throw new Error(`redocly: ${stderr}`)
  const { problems } = JSON.parse(stdout.slice(start)) as { problems: { ruleId: string; message: string }[] }
  return { status, problems: problems.map(({ ruleId, message }) => `${ruleId}: ${message}`) }
}

it('the OpenAPI document has no finding of Redocly and Spectral', async () => {
  expect(await lintWithRedocly(document, 'openapi.json')).toEqual({ status: 0, problems: [] })
  expect(await lintWithSpectral(document)).toEqual([])
})
