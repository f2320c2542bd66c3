import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'

const ROOT = join(import.meta.dirname, '../..')

const h = shared()

it('The demo ends with its own incident proven from a file, and a token that names the head', async () => {
  const env = { ...process.env, LOCAL_DIR: h.dir }
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  const { stdout, stderr } = await run('local/demo.ts')
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /→ leaf \d+ of the \d+ that localhost\/log has signed: warning, "Invoice booked twice"/,
  )
  expect(stdout.match(/→ refused, as it must be/g)).toHaveLength(2)
  expect(stdout).toMatch(/→ it names the head of \d+ leaves/)
  const { 1: reg } = /Done: agent (REG-\S+), trust score [\d.]+ of 266 events/.exec(stdout) ?? []
  expect((await h.api('GET', `/agents/${reg}`)).body.name).toBe('Invoice Reader')

  const { 1: vkey = '' } = /export VKEY=(\S+)/.exec(stdout) ?? []
  const file = join(h.dir, 'demo/incident.tlog-proof')
  expect(readFileSync(file, 'utf8')).toContain('c2sp.org/tlog-proof@v1')
  const offline = await run('scripts/log-verify.ts', '--offline', file, '--vkey', vkey)
  expect(offline.stdout).toContain('"title":"Invoice booked twice"')
})
