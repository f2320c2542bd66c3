import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { registeredAgents, verifyRequest } from '@agentreg/verify'
import { expect, it } from 'vitest'
import { newCli } from '../support/cli.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const ORIGIN = 'https://shop.example'

it('an agent gets a key, signs with it, rotates and revokes it; the private key is never printed', async () => {
  const { operator, reg } = await h.newReporter()
  await using cli = await newCli(h.base_url)
  const printed: string[] = []
  const privates = new Set<string>()
  const run = async (...words: string[]) => {
    const ran = await cli.runWith({ env: { AGENTREG_TOKEN: operator.token } }, ...words)
    printed.push(ran.out, ran.err)
    return ran
  }
  const fileOf = () =>
    join(cli.dir, globSync('config/agentreg/agent-keys/*/*.json', { cwd: cli.dir })[0] ?? '')
  const stored = () => {
    const kept = JSON.parse(readFileSync(fileOf(), 'utf8'))
    privates.add(kept.key.d)
    return kept
  }

  expect(await run('sign', reg, 'GET', `${ORIGIN}/a`)).toMatchObject({ status: 2, out: '' })
  expect(await run('agent-keys', 'create', reg)).toMatchObject({ status: 0 })
  const first = stored()
  expect(statSync(fileOf()).mode & 0o777).toBe(0o600)
  expect((await run('agent-keys', 'create', reg)).out).toContain(first.kid)
  const listed = await h.api('GET', `/agents/${reg}/keys`)
  expect(listed.body.data).toMatchObject([{ kid: first.kid, x: first.key.x, status: 'active' }])

  const file = join(cli.dir, 'body.json')
  writeFileSync(file, '{"a":1}')
  const signed = await run('sign', reg, 'POST', `${ORIGIN}/a?b=1`, '--body', file)
  const headers = signed.out
    .trim()
    .split('\n')
    .map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string])
  const found = await verifyRequest(
    new Request(`${ORIGIN}/a?b=1`, { method: 'POST', headers, body: '{"a":1}' }),
    {
      origin: ORIGIN,
      require: ['@method', '@path', '@query', 'content-digest'],
      agents: registeredAgents(h.base_url),
    },
  )
  expect(found).toMatchObject({ reason: null, keyId: first.kid, agent: { reg } })

  expect((await run('sign', reg, 'GET', `${ORIGIN}/a`, '--token')).out).toContain(
    'signature-key: sig1=jwt;jwt="eyJ',
  )

  expect(await run('agent-keys', 'rotate', reg)).toMatchObject({ status: 0 })
  const second = stored()
  expect(second.kid).not.toBe(first.kid)
  const list = await run('--json', 'agent-keys', 'list', reg)
  expect(JSON.parse(list.out).data).toMatchObject([
    { kid: second.kid, status: 'active' },
    { kid: first.kid, status: 'revoked', reason: 'rotated' },
  ])
  const unknown = await run('agent-keys', 'revoke', reg, '--kid', `-${'A'.repeat(42)}`)
  expect(unknown).toMatchObject({ status: 1, err: expect.stringContaining('NOT_FOUND') })
  expect((await run('agent-keys', 'revoke', reg, '--reason', 'compromised')).out).toContain('revoked')
  expect(await run('sign', reg, 'GET', `${ORIGIN}/a`)).toMatchObject({ status: 2 })

  const proof = await run('agent-keys', 'proof', reg)
  const call = { token: operator.token, body: { proof: proof.out.trim() } }
  const added = await h.api('POST', `/agents/${reg}/keys`, call)
  expect(added).toMatchObject({ status: 201, body: { kid: stored().kid } })
  expect(privates.size).toBe(3)
  for (const secret of privates) expect(printed.join()).not.toContain(secret)
})
