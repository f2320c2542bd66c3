import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signIn } from '../../local/sign-in.ts'

import { startParty } from './relying-party.ts'

const dir = mkdtempSync(join(tmpdir(), 'identity-'))
const printed: string[] = []
let party: Awaited<ReturnType<typeof startParty>>

beforeAll(async () => {
  party = await startParty(dir, (line) => printed.push(line))
})

afterAll(async () => {
  await party.stop()
  rmSync(dir, { recursive: true })
})

describe('the sign-in script', () => {
  const walk = (email: string, headers: Record<string, string> = {}) =>
    signIn({ baseUrl: party.url, mailboxUrl: party.mailboxUrl, email, headers })

  it('completes the flow and passes headers to the Worker', async () => {
    const at = '2030-01-01T00:00:00.000Z'
    const signedIn = await walk('ivan@example.com', { 'X-Test-Now': at })
    expect(signedIn.session_token).toMatch(/^token-/)
    expect(signedIn.operator).toMatchObject({ email: 'ivan@example.com', at })
  })

  it('signs in 20 people concurrently, also when some share an address', async () => {
    const emails = Array.from({ length: 20 }, (_, index) => `p${index % 15}@example.com`)
    const operators = (await Promise.all(emails.map((email) => walk(email)))).map(({ operator }) => operator)
    expect(operators).toEqual(emails.map((email) => expect.objectContaining({ email })))
    expect(printed).toEqual([])
  })

  it('throws an error with the reason', async () => {
    await expect(walk('judy+unverified@example.com')).rejects.toThrow('403 FORBIDDEN: email not verified')
    await expect(walk('judy')).rejects.toThrow('422 Enter an address')
    const ip = { 'CF-Connecting-IP': '10.0.0.1' }
    await walk('judy@example.com', ip)
    await expect(walk('judy@example.com', ip)).rejects.toThrow('429 RATE_LIMITED: try again later')
  })

  it('prints only the token, or one line on stderr with exit code 1', async () => {
    const others = [
      'database',
      'neon_sql',
      'redis_rest',
      'qstash',
      'identity',
      'kyc',
      'web_stand_in',
      'witness',
      'mail',
    ]
    const stack = {
      ...Object.fromEntries(others.map((part) => [`${part}_url`, 'http://127.0.0.1:9'])),
      base_url: party.url,
      mailbox_url: party.mailboxUrl,
      redis_rest_token: 'none',
      pid: process.pid,
    }
    const env = { ...process.env, LOCAL_DIR: dir, NODE_OPTIONS: '' }
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['local/sign-in.ts', ...args], { env })
    await expect(run('kim@example.com')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('no stack is running'),
    })
    writeFileSync(join(dir, 'stack.json'), JSON.stringify(stack))
    await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('usage:') })
    expect(await run('kim@example.com')).toMatchObject({
      stdout: expect.stringMatching(/^token-[\w-]{43}\n$/),
      stderr: '',
    })
  })
})
