import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'

const ROOT = join(import.meta.dirname, '../..')

const h = shared()

it('the demo verifies its agent, and a signed request until its key is revoked', async () => {
  const env = { ...process.env, LOCAL_DIR: h.dir }
  const options = { cwd: ROOT, env }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['local/demo.ts'], options)
  expect(stderr).toBe('')
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
})
