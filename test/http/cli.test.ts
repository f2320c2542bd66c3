import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import { jsonOf, newCli } from '../support/cli.ts'
import { unknownReg } from '../support/fill.ts'
import { freshSlug, shared } from '../support/harness.ts'

const h = shared()

/** The command line of a signed-in operator. */
async function signedIn(options: Parameters<typeof h.newOperator>[0] = {}) {
  const operator = await h.newOperator(options)
  const cli = await newCli(h.base_url)
  const login = await cli.runWith({ input: `${operator.token}\n` }, 'login')
  expect(login).toMatchObject({ status: 0, out: expect.stringContaining(operator.email) })
  return { operator, cli, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() }
}

describe('signing in', () => {
  it('stores the token in a private file, never prints it, and ends the session at logout', async () => {
    await using fixture = await signedIn()
    const { cli, operator } = fixture
    const file = join(cli.dir, 'config/agentreg/credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(cli.dir, 'config/agentreg')).mode & 0o777).toBe(0o700)
    expect(JSON.parse(readFileSync(file, 'utf8')).entries).toEqual([
      { base_url: h.base_url, profile: 'default', token: operator.token, email: operator.email },
    ])
    const who = await cli.runWith({ env: { AGENTREG_BASE_URL: '' } }, 'whoami')
    expect(who).toMatchObject({ status: 0, out: expect.stringContaining(operator.email) })
    expect(who.out + who.err).not.toContain(operator.token)

    const other = await cli.run('whoami', '--base-url', `http://localhost:${await freePort()}`)
    expect(other).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('you are not signed in to'),
    })

    expect(await cli.run('logout')).toMatchObject({ status: 0 })
    expect((await h.api('GET', '/operators/me', { token: operator.token })).status).toBe(401)
    const after = await cli.run('whoami')
    expect(after).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('agentreg login --base-url'),
    })
  })

  it('stores no token that the registry rejects or that is malformed', async () => {
    await using cli = await newCli(h.base_url)
    const { token } = await h.newOperator()
    await h.api('DELETE', '/auth/session', { token })
    const rejected = await cli.runWith({ input: token }, 'login')
    expect(rejected).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/^error: .+\n next: /) })
    const none = await cli.runWith({ input: 'hello' }, 'login')
    expect(none).toMatchObject({ status: 2, err: expect.stringContaining('begins with reg_sess_') })
    const key = await cli.runWith({ input: 'reg_live_abc' }, 'login')
    expect(key).toMatchObject({ status: 2, err: expect.stringContaining('AGENTREG_API_KEY') })
    const unreachable = await cli.runWith(
      { input: token },
      'login',
      '--base-url',
      `http://127.0.0.1:${await freePort()}`,
    )
    expect(unreachable).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('no response from http'),
    })
    expect(() => statSync(join(cli.dir, 'config/agentreg/credentials.json'))).toThrow()
  })

  it('keeps one login per profile, restores the permissions of its file, and rejects a malformed one', async () => {
    await using fixture = await signedIn()
    const { cli } = fixture
    const file = join(cli.dir, 'config/agentreg/credentials.json')
    chmodSync(file, 0o644)
    const second = await h.newOperator()
    await cli.runWith({ input: second.token }, 'login', '--profile', 'second')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(jsonOf(await cli.run('whoami', '--json')).operator.email).toBe(fixture.operator.email)
    const named = jsonOf(await cli.runWith({ env: { AGENTREG_PROFILE: 'second' } }, 'whoami', '--json'))
    expect(named).toMatchObject({ profile: 'second', operator: { email: second.email } })
    writeFileSync(file, '{}')
    const malformed = { status: 2, err: expect.stringContaining('delete it, and sign in again') }
    expect(await cli.run('whoami')).toMatchObject(malformed)
  })
})

describe('agents', () => {
  it('are created, updated, listed, found and deactivated', async () => {
    await using fixture = await signedIn()
    const { cli } = fixture
    const name = `Scout ${freshSlug()}`
    const texts = ['--description', 'Finds things', '--specialization', 'maps', 'rivers']
    const made = jsonOf(await cli.run('agents', 'create', name, '--class', 'A', ...texts, '--json'))
    expect(made).toMatchObject({ name, description: 'Finds things', specializations: ['maps', 'rivers'] })
    const { reg } = made
    const changed = await cli.run('agents', 'update', reg.toLowerCase(), '--description', '')
    expect(changed).toMatchObject({ status: 0, out: `Changed ${reg}: ${name}, active.\n` })
    const got = await cli.runWith({ env: { XDG_CONFIG_HOME: cli.dir } }, 'agents', 'get', reg)
    expect(got).toMatchObject({ status: 0, out: expect.stringMatching(/Description {2,}–\n/) })
    const list = await cli.run('agents', 'list')
    expect(list.out.split('\n')[0]).toMatch(/^NUMBER +NAME +CLASS/)
    expect(list.out).toContain(reg)
    expect(list.out).not.toContain('\u001b')
    const found = jsonOf(await cli.run('agents', 'search', name, '--class', 'A', '--json'))
    expect(found.data).toMatchObject([{ reg }])

    const unconfirmed = await cli.run('agents', 'deactivate', reg)
    expect(unconfirmed).toMatchObject({ status: 2, out: '', err: expect.stringContaining('add --yes') })
    expect(jsonOf(await cli.run('agents', 'get', reg, '--json')).status).toBe('active')
    expect((await cli.run('agents', 'deactivate', reg, '--yes')).status).toBe(0)
    expect(jsonOf(await cli.run('agents', 'get', reg, '--json')).status).toBe('deactivated')
  })

  it('are rejected with the field, the reason, and the next step', async () => {
    await using fixture = await signedIn()
    const { cli } = fixture
    const long = await cli.run('agents', 'create', 'x'.repeat(256), '--class', 'A')
    expect(long).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^error: name: at most 255/),
    })
    expect(long.err).toContain(`next: more about VALIDATION_ERROR: ${h.base_url}/docs/errors#`)
    for (let n = 0; n < 3; n++) await h.newAgent(fixture.operator)
    const full = await cli.run('agents', 'create', 'Fourth', '--class', 'A')
    expect(full).toMatchObject({ status: 1, err: expect.stringContaining('AGENT_LIMIT_REACHED') })
    const reg = unknownReg()
    const missing = await cli.run('agents', 'get', reg)
    expect(missing).toMatchObject({ status: 1, out: '', err: expect.stringContaining(`no agent ${reg}`) })
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

describe('keys', () => {
  it('are created, shown once, updated, rotated and revoked', async () => {
    await using fixture = await signedIn({ tier: 'pro' })
    const { cli } = fixture
    const made = jsonOf(
      await cli.run(
        'keys',
        'create',
        'worker',
        '--permission',
        'activity:report',
        '--rate-limit',
        '90',
        '--json',
      ),
    )
    expect(made).toMatchObject({
      name: 'worker',
      key: expect.stringMatching(/^reg_live_/),
      rate_limit_per_minute: 90,
    })
    expect((await cli.run('keys', 'update', made.id, '--rate-limit', '300')).status).toBe(0)
    const list = await cli.run('keys', 'list')
    expect(list.out).toContain(made.id)
    expect(list.out).not.toContain(made.key)
    const rotated = jsonOf(await cli.run('keys', 'rotate', made.id, '--yes', '--json'))
    expect(rotated).toMatchObject({ name: 'worker', permissions: ['activity:report'] })
    const { data } = jsonOf(await cli.run('keys', 'list', '--json'))
    expect(data).toMatchObject([
      { id: rotated.id, status: 'active', rate_limit_per_minute: 300 },
      { id: made.id, status: 'revoked' },
    ])
    expect((await cli.run('keys', 'revoke', rotated.id, '--yes')).status).toBe(0)
    const again = await cli.run('keys', 'rotate', rotated.id, '--yes')
    expect(again).toMatchObject({ status: 2, err: expect.stringContaining('is revoked') })
  })

  it('saved for reports are not printed, and deleted when revoked; those of a platform are listed separately', async () => {
    await using fixture = await signedIn()
    const { cli, operator } = fixture
    const useless = await cli.run('keys', 'create', 'reader', '--save')
    expect(useless).toMatchObject({ status: 2, err: expect.stringContaining('--permission activity:report') })
    const made = await cli.run('keys', 'create', 'reporter', '--permission', 'activity:report', '--save')
    expect(made).toMatchObject({ status: 0, out: expect.not.stringContaining('reg_live_') })
    const file = join(cli.dir, 'config/agentreg/credentials.json')
    const [entry] = JSON.parse(readFileSync(file, 'utf8')).entries
    expect(entry.api_key.key).toMatch(/^reg_live_/)
    expect((await cli.run('keys', 'revoke', entry.api_key.id, '--yes')).status).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('reg_live_')

    const { slug } = await h.newPlatform(operator)
    const make = ['keys', 'create', 'market', '--platform', slug, '--json', '--permission']
    const refused = { status: 2, err: expect.stringContaining('cannot have the permission write') }
    expect(await cli.run(...make, 'write')).toMatchObject(refused)
    const { id } = jsonOf(await cli.run(...make, 'read', 'activity:report'))
    expect(jsonOf(await cli.run('keys', 'list', '--json')).data).toMatchObject([{ status: 'revoked' }])
    expect(jsonOf(await cli.run('keys', 'list', '--platform', slug, '--json')).data).toMatchObject([{ id }])
    expect((await cli.run('keys', 'revoke', id, '--platform', slug, '--yes')).status).toBe(0)
  })
})

describe('the command line', () => {
  it('prints its help and version, and exits with status 2 for wrong arguments', async () => {
    await using cli = await newCli('')
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../packages/cli/package.json'), 'utf8'),
    )
    expect(await cli.run('--version')).toEqual({ status: 0, out: `${version}\n`, err: '' })
    const help = await cli.run('--help')
    expect(help).toMatchObject({
      status: 0,
      err: '',
      out: expect.stringContaining('agentreg login --base-url'),
    })
    const typo = await cli.run('agnets')
    expect(typo).toMatchObject({ status: 2, out: '', err: expect.stringContaining('Did you mean agents?') })
    const reg = await cli.run('agents', 'get', 'REG-1')
    expect(reg).toMatchObject({ status: 2, err: expect.stringContaining('REG-2026-0001-0042-U') })
    const nowhere = await cli.run('agents', 'list')
    expect(nowhere).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('no registry is set'),
    })
    const wrong = await cli.run('agents', 'list', '--base-url', 'http://localhost:1/api/v1')
    expect(wrong).toMatchObject({ status: 2, err: expect.stringContaining('must be a URL without a path') })
  })
})

describe('incidents, logs, domain, sessions, and status', () => {
  it('list and resolve incidents, and print the log of an agent', async () => {
    await using fixture = await signedIn()
    const { cli, operator } = fixture
    const [{ reg }, { key }] = await Promise.all([h.newAgent(operator), h.newKey(operator)])
    await h.report(key, reg, {
      event_type: 'incident',
      metadata: { severity: 'warning', title: 'Wrong total' },
    })
    const listed = await cli.run('incidents', 'list', reg)
    expect(listed).toMatchObject({ status: 0, out: expect.stringMatching(/^ID .*Wrong total/s) })
    const [{ incident_id: id }] = jsonOf(await cli.run('incidents', 'list', reg, '--json')).data
    const unsaid = await cli.run('incidents', 'resolve', id)
    expect(unsaid).toMatchObject({ status: 2, err: expect.stringContaining('--resolution') })
    expect((await cli.run('incidents', 'resolve', id, '--resolution', 'Fixed')).out).toBe(`Resolved ${id}.\n`)
    const log = await cli.run('logs', 'tail', reg, '--no-follow')
    expect(log).toMatchObject({ status: 0, out: expect.stringMatching(/ incident +self .*"Wrong total"/) })
  })

  it('print the proof of a domain, end a session, and show the status of the registry', async () => {
    await using fixture = await signedIn()
    const { cli, operator } = fixture
    const { reg } = await h.newAgent(operator)
    const domain = `${freshSlug()}.example.com`
    const made = await cli.run('domain', 'challenge', reg, domain)
    expect(made.out).toMatch(new RegExp(`TXT record +_reg-agent\\.${domain}\n`))
    expect((await cli.run('domain', 'verify', reg)).status).toBe(1)
    const [{ id }] = jsonOf(await cli.run('sessions', 'list', '--json')).data
    expect((await cli.run('sessions', 'end', id)).out).toBe(`Ended ${id}.\n`)
    expect(await cli.run('sessions', 'list')).toMatchObject({
      status: 1,
      err: expect.stringMatching(/sign in again/),
    })
    expect((await cli.run('status')).out).toMatch(/^Registry .*\nStatus +(ok|degraded)\nDatabase +ok\n/)
  })

  it('errors are JSON with --json, help accepts subcommands, and marks required options', async () => {
    await using cli = await newCli(h.base_url)
    const { status, err } = await cli.run('agents', 'list', '--json')
    expect([status, JSON.parse(err)]).toEqual([
      2,
      { error: { message: expect.stringMatching(/not signed in/), next: expect.stringMatching(/login/) } },
    ])
    const { err: ofProfile } = await cli.run('whoami', '--profile', 'work')
    expect(ofProfile).toMatch(/with the profile work\n.* --profile work\n/)
    const missing = await cli.run('agents', 'get', unknownReg(), '--json')
    expect(JSON.parse(missing.err).error).toMatchObject({ code: 'NOT_FOUND' })
    const misused = await cli.run('agents', 'get', 'NOPE', '--json')
    expect(misused.status).toBe(2)
    expect(JSON.parse(misused.err).error).toMatchObject({ code: 'USAGE' })
    expect((await cli.run('agents', 'search', '--page', '99')).out).toContain('beyond the last page')
    const help = await cli.run('help', 'agents', 'create')
    expect(help).toMatchObject({ status: 0, out: expect.stringMatching(/--class <class> \(required\)/) })
  })
})
