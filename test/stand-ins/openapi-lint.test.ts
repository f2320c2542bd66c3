import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildDocument } from '../../scripts/document/build.ts'
import { folderWith } from '../support/programs.ts'

const ROOT = join(import.meta.dirname, '../..')
const SILENT = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

it('the OpenAPI document has no finding of Redocly', async () => {
  const text = JSON.stringify(buildDocument('https://registry.example'))
  await using folder = await folderWith({ 'openapi.json': text })
  const cli = join(ROOT, 'node_modules/.bin/redocly')
  const file = join(folder.dir, 'openapi.json')
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
