import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import cliPackage from '../../packages/cli/package.json' with { type: 'json' }
import { expectRefused, jsonOf, newCli } from '../support/cli.ts'
import { unknownReg } from '../support/fill.ts'
import { type Body, freshSlug, shared } from '../support/harness.ts'

const h = shared()

/** The command line of an operator. */
async function operatorCli(options: Parameters<typeof h.newOperator>[0] = {}) {
  const operator = await h.newOperator(options)
  const cli = await newCli(h.base_url)
  const env = { AGENTREG_TOKEN: operator.token }
  const run = (...words: string[]) => cli.runWith({ env }, ...words)
  return { operator, cli, run, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() }
}

describe('a login', () => {
  it('stores the token in a private file, never prints it, and ends the session at logout', async () => {
    const [operator, second] = [await h.newOperator(), await h.newOperator()]
    await using cli = await newCli(h.base_url)
    const { email, token } = operator
    const login = await cli.runWith({ input: `${token}\n` }, 'login')
    expect(login).toMatchObject({ status: 0, out: expect.stringContaining(email) })
    const file = join(cli.dir, 'config/agentreg/credentials.json')
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect([modeOf(file), modeOf(dirname(file))]).toEqual([0o600, 0o700])
    const stored = () => JSON.parse(readFileSync(file, 'utf8')).entries
    expect(stored()).toEqual([{ base_url: h.base_url, profile: 'default', token, email }])
    await expectRefused(cli.run, 2, [['whoami --base-url http://localhost:9', /you are not signed in to/]])

    chmodSync(file, 0o644)
    await cli.runWith({ input: second.token }, 'login', '--profile', 'second')
    expect(modeOf(file)).toBe(0o600)
    const named = await cli.runWith({ env: { AGENTREG_PROFILE: 'second' } }, 'whoami', '--json')
    expect(jsonOf(named)).toMatchObject({ profile: 'second', operator: { email: second.email } })
    const who = await cli.runWith({ env: { AGENTREG_BASE_URL: '' } }, 'whoami')
    expect(who).toMatchObject({ status: 0, out: expect.stringContaining(email) })
    for (const { out, err } of [login, who]) expect(out + err).not.toContain(token)

    const save = ['keys', 'create', 'reporter', '--permission', 'activity:report', '--save']
    expect(await cli.run(...save)).toMatchObject({ status: 0, out: expect.not.stringContaining('reg_live_') })
    const { api_key: saved } = stored().find((entry: Body) => entry.api_key)
    expect(saved.key).toMatch(/^reg_live_/)
    expect(await cli.run('keys', 'revoke', saved.id, '--yes')).toMatchObject({ status: 0 })
    expect(readFileSync(file, 'utf8')).not.toContain('reg_live_')

    expect(await cli.run('logout')).toMatchObject({ status: 0 })
    expect((await h.api('GET', '/operators/me', { token })).status).toBe(401)
    await expectRefused(cli.run, 2, [['whoami', /agentreg login --base-url/]])
    writeFileSync(file, '{}')
    await expectRefused(cli.run, 2, [['whoami', /delete it, and sign in again/]])
  })

  it('stores no token that the registry rejects or that is malformed', async () => {
    await using cli = await newCli(h.base_url)
    const { token } = await h.newOperator()
    await h.api('DELETE', '/auth/session', { token })
    const withInput =
      (input: string) =>
      (...words: string[]) =>
        cli.runWith({ input }, ...words)
    await expectRefused(withInput(token), 1, [['login', /^error: .+\n next: /]])
    await expectRefused(withInput('hello'), 2, [['login', /begins with reg_sess_/]])
    await expectRefused(withInput('reg_live_abc'), 2, [['login', /AGENTREG_API_KEY/]])
    await expectRefused(withInput(token), 2, [
      ['login --base-url http://127.0.0.1:9', /no response from http/],
    ])
    expect(() => statSync(join(cli.dir, 'config/agentreg/credentials.json'))).toThrow()
  })
})

describe('agents', () => {
  it('are created, updated, listed, found and deactivated', async () => {
    await using fixture = await operatorCli()
    const { cli, operator, run } = fixture
    const name = `Scout ${freshSlug()}`
    const texts = ['--description', 'Finds things', '--specialization', 'maps', 'rivers']
    const made = jsonOf(await run('agents', 'create', name, '--class', 'A', ...texts, '--json'))
    expect(made).toMatchObject({ name, description: 'Finds things', specializations: ['maps', 'rivers'] })
    const { reg } = made
    const changed = await run('agents', 'update', reg.toLowerCase(), '--description', '')
    expect(changed).toMatchObject({ status: 0, out: `Changed ${reg}: ${name}, active.\n` })
    const got = await cli.run('agents', 'get', reg)
    expect(got).toMatchObject({ status: 0, out: expect.stringMatching(/Description {2,}–\n/) })
    const { out } = await run('agents', 'list')
    expect(out).toMatch(/^NUMBER +NAME +CLASS/)
    expect(out).toContain(reg)
    expect(out).not.toContain('\u001b')
    const found = jsonOf(await run('agents', 'search', name, '--class', 'A', '--json'))
    expect(found.data).toMatchObject([{ reg }])
    expect((await run('agents', 'search', '--page', '99')).out).toContain('beyond the last page')

    const statusOf = async () =>
      (await h.api('GET', '/operators/me/agents', { token: operator.token })).body.data[0].status
    await expectRefused(run, 2, [[`agents deactivate ${reg}`, /add --yes/]])
    expect(await statusOf()).toBe('active')
    expect((await run('agents', 'deactivate', reg, '--yes')).status).toBe(0)
    expect(await statusOf()).toBe('deactivated')
  })

  it('are rejected with the field, the reason, and the next step', async () => {
    await using fixture = await operatorCli()
    const reg = unknownReg()
    await expectRefused(fixture.run, 1, [
      [
        `agents create ${'x'.repeat(256)} --class A`,
        /^error: name: at most 255.*next: more about VALIDATION_ERROR: http.*\/docs\/errors#/s,
      ],
      [`agents get ${reg}`, new RegExp(`no agent ${reg}`)],
    ])
  })

  it('are printed without terminal control characters', async () => {
    await using cli = await newCli(h.base_url, {
      tamper: (path, body) =>
        path.includes('/agents/') ? body.replace('Scout', '\\u001b[2JScout') : undefined,
    })
    const { reg } = await h.newAgent(await h.newOperator())
    const { out } = await cli.run('agents', 'get', reg)
    expect(out).toContain('\u{fffd}[2JScout')
    expect(out).not.toContain('\u001b')
  })
})

it('keys are created, shown once, updated, rotated and revoked, those of a platform separately', async () => {
  await using fixture = await operatorCli({ tier: 'pro' })
  const { operator, run } = fixture
  const permissions = ['--permission', 'activity:report', '--json']
  const made = jsonOf(await run('keys', 'create', 'worker', '--rate-limit', '90', ...permissions))
  expect(made).toMatchObject({
    name: 'worker',
    key: expect.stringMatching(/^reg_live_/),
    rate_limit_per_minute: 90,
  })
  expect((await run('keys', 'update', made.id, '--rate-limit', '300')).status).toBe(0)
  const rotated = jsonOf(await run('keys', 'rotate', made.id, '--yes', '--json'))
  expect(rotated).toMatchObject({ name: 'worker', permissions: ['activity:report'] })

  const { slug } = await h.newPlatform(operator)
  await expectRefused(run, 2, [
    [`keys create k --platform ${slug} --permission write`, /cannot have the permission write/],
    [`keys rotate ${made.id} --yes`, /is revoked/],
    ['keys create reader --save', /--permission activity:report/],
  ])
  const { id } = jsonOf(await run('keys', 'create', 'market', '--platform', slug, ...permissions))
  const list = await run('keys', 'list')
  expect(list.out).not.toContain(id)
  expect(list.out).not.toContain(rotated.key)
  const { body } = await h.api('GET', '/operators/me/api-keys', { token: operator.token })
  expect(body.data).toMatchObject([
    { id: rotated.id, status: 'active', rate_limit_per_minute: 300 },
    { id: made.id, status: 'revoked' },
  ])
  for (const one of body.data) expect(list.out).toContain(one.id)
  expect(jsonOf(await run('keys', 'list', '--platform', slug, '--json')).data).toMatchObject([{ id }])
  expect((await run('keys', 'revoke', id, '--platform', slug, '--yes')).status).toBe(0)
})

describe('the command line', () => {
  it('prints its help and version, and exits with status 2 for wrong arguments', async () => {
    await using cli = await newCli('')
    expect(await cli.run('--version')).toEqual({ status: 0, out: `${cliPackage.version}\n`, err: '' })
    const help = await cli.run('help', 'agents', 'create')
    expect(help).toMatchObject({ status: 0, out: expect.stringMatching(/--class <class> \(required\)/) })
    await expectRefused(cli.run, 2, [
      ['agnets', /Did you mean agents\?/],
      ['agents get REG-1', /REG-2026-0001-0042-U/],
      ['agents list', /no registry is set/],
      ['agents list --base-url http://localhost:1/api/v1', /must be a URL without a path/],
      ['whoami --base-url http://localhost:1 --profile work', /with the profile work\n.* --profile work\n/],
    ])
  })

  it('prints errors as JSON with --json', async () => {
    await using cli = await newCli(h.base_url)
    for (const [words, error] of [
      ['agents list', { message: expect.stringMatching(/not signed in/), next: expect.any(String) }],
      ['agents get NOPE', expect.objectContaining({ code: 'USAGE' })],
      [`agents get ${unknownReg()}`, expect.objectContaining({ code: 'NOT_FOUND' })],
    ] as const)
      expect(JSON.parse((await cli.run(...words.split(' '), '--json')).err)).toEqual({ error })
  })
})

it('incidents, the log, a domain, sessions, and the status of the registry are shown and changed', async () => {
  await using fixture = await operatorCli()
  const { cli, operator, run } = fixture
  const [{ reg }, { key }] = await Promise.all([h.newAgent(operator), h.newKey(operator)])
  const metadata = { severity: 'warning', title: 'Wrong total' }
  await h.report(key, reg, { event_type: 'incident', metadata })
  const listed = await run('incidents', 'list', reg)
  expect(listed).toMatchObject({ status: 0, out: expect.stringMatching(/^ID .*Wrong total/s) })
  const [{ incident_id: id }] = (await h.api('GET', `/agents/${reg}/incidents`)).body.data
  await expectRefused(run, 2, [[`incidents resolve ${id}`, /--resolution/]])
  expect((await run('incidents', 'resolve', id, '--resolution', 'Fixed')).out).toBe(`Resolved ${id}.\n`)
  await run('keys', 'create', 'reporter', '--permission', 'activity:report', '--save')
  const log = await cli.run('logs', 'tail', reg, '--no-follow') // with a stored key, but without a session
  expect(log).toMatchObject({ status: 0, out: expect.stringMatching(/ incident +self .*"Wrong total"/) })
  const asSession = cli.runWith({ env: { AGENTREG_TOKEN: 'ended' } }, 'logs', 'tail', reg, '--no-follow')
  expect((await asSession).status).toBe(1)
  const pasted = await cli.runWith({ env: { AGENTREG_TOKEN: 'one\ntwo' } }, 'keys', 'list')
  expect(pasted).toMatchObject({ status: 2, err: expect.stringMatching(/such as a space or a line break/) })
  expect(pasted.err).not.toContain('two')

  const domain = `${freshSlug()}.example.com`
  const made = await run('domain', 'challenge', reg, domain)
  expect(made.out).toMatch(new RegExp(`TXT record +_reg-agent\\.${domain}\n`))
  expect((await run('domain', 'verify', reg)).status).toBe(1)
  expect((await run('status')).out).toMatch(/^Registry .*\nStatus +(ok|degraded)\nDatabase +ok\n/)
  const [session] = jsonOf(await run('sessions', 'list', '--json')).data
  expect((await run('sessions', 'end', session.id)).out).toBe(`Ended ${session.id}.\n`)
  await expectRefused(run, 1, [
    ['sessions list', /sign in again/],
    ['keys rotate 1 --yes', /sign in again/],
  ])
})
