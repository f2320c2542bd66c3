import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'

const ROOT = join(import.meta.dirname, '../..')

const h = shared()

it('the demo verifies an incident from a file, a token, and a signed request until its key is revoked', async () => {
  const env = { ...process.env, LOCAL_DIR: h.dir }
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  const { stdout, stderr } = await run('local/demo.ts')
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /→ leaf \d+ of the \d+ that localhost\/log has signed: warning, "Invoice booked twice"/,
  )
  expect(stdout.match(/→ rejected, as it must be/g)).toHaveLength(4)
  expect(stdout).toMatch(/→ it names the head of \d+ leaves/)
  const verified =
    /→ verified offline: POST https:\/\/shop\.example\/orders \{"item":7\} is from (REG-\S+), Invoice Reader/
  const signer = verified.exec(stdout)?.[1]
  expect(stdout).toMatch(/another body \(bad_digest\)[\s\S]*the revoked key \(unknown_key\)/)
  const { 1: reg } = /Done: agent (REG-\S+), trust score [\d.]+ from 266 events/.exec(stdout) ?? []
  expect(signer).toBe(reg)
  const { body: signing } = await h.api('GET', `/agents/${reg}/keys`)
  expect(signing.data).toMatchObject([{ status: 'revoked', reason: 'compromised' }])
  const { body: profile } = await h.api('GET', `/agents/${reg}`)
  expect(profile).toMatchObject({
    name: 'Invoice Reader',
    domain: expect.stringMatching(/^demo-/),
    operator_name: 'Ada Lovelace',
    operator_name_verified: true,
    incident_count: 1,
  })
  const { body: history } = await h.api('GET', `/agents/${reg}/trust-score/history`)
  expect(history.data.length).toBeGreaterThanOrEqual(20)
  const page = `${h.base_url}/agents/${reg}`
  for (const shown of [page, `${page}/badge.svg`, `${h.base_url}/console`, h.mailbox_url]) {
    expect(stdout.split('Done: ')[1]).toMatch(new RegExp(`${shown.replaceAll('.', '\\.')}$`, 'm'))
  }

  const { 1: vkey = '' } = /export VKEY=(\S+)/.exec(stdout) ?? []
  const file = join(h.dir, 'demo/incident.tlog-proof')
  expect(readFileSync(file, 'utf8')).toContain('c2sp.org/tlog-proof@v1')
  const offline = await run('packages/cli/src/main.ts', 'verify', '--offline', file, '--vkey', vkey)
  expect(offline.stdout).toContain('"title":"Invoice booked twice"')
})
