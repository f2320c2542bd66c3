import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../local/port.ts'
import { administer } from '../../scripts/admin.ts'
import { jsonOf, newCli, type Tamper } from '../support/cli.ts'
import { unknownReg } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilVerified } from '../support/logged.ts'

const h = shared()
const TASKS = 12

let reg: string
let suspended: string
let redacted: string

/** An agent with a score. */
async function worker() {
  const reporter = await h.newReporter()
  const metadata = { quality: 0.9, response_ms: 900 }
  for (let n = 0; n < TASKS; n++) await h.report(reporter.key, reporter.reg, { metadata })
  return reporter
}

beforeAll(async () => {
  const [first, second, third] = await Promise.all([worker(), worker(), worker()])
  await h.suspend(second.operator)
  const { id } = await h.report(third.key, third.reg, { metadata: { secret: 'hunter2' } })
  await administer(h.database_url, ['redact', id, '--reason', 'secret'])
  for (const one of [first, second, third]) await untilVerified(h, one.reg)
  reg = first.reg
  suspended = second.reg
  redacted = third.reg
})

/** Increments one digit of a number in the responses of a path. */
const digitOf =
  (part: string, field: string): Tamper =>
  (path, body) =>
    path.includes(part)
      ? body.replace(
          new RegExp(`("${field}":"?\\d*?)(\\d)([.,"}])`),
          (_, before, digit, after) => before + ((Number(digit) + 1) % 10) + after,
        )
      : undefined

describe('agentreg verify', () => {
  it('verifies an active agent, one of a suspended operator, and one with a redacted event', async () => {
    await using cli = await newCli(h.base_url)
    const plain = await cli.run('verify', reg.toLowerCase())
    expect(plain).toMatchObject({ status: 0, err: '', out: expect.stringContaining(`${reg}  verified`) })
    const names = [
      'score',
      'token',
      'checkpoint',
      'entries',
      'profile',
      'incidents',
      'days',
      'counters',
      'standing',
      'keys',
      'events',
      'history',
    ]
    for (const name of names) expect(plain.out).toMatch(new RegExp(`^${name} +ok +\\S`, 'm'))
    const other = await cli.run('verify', suspended)
    expect(other).toMatchObject({ status: 0, out: expect.stringContaining('its operator is suspended') })
    const found = jsonOf(await cli.run('verify', redacted, '--json'))
    expect(found).toMatchObject({ reg: redacted, verdict: 'verified', agent: { active: true } })
    expect(found.score.events_considered).toBe(TASKS + 1)
  })

  it('fails with --require-active if the operator is suspended', async () => {
    await using cli = await newCli(h.base_url)
    expect(await cli.run('verify', suspended, '--require-active')).toMatchObject({ status: 1 })
    expect(await cli.run('verify', reg, '--require-active')).toMatchObject({ status: 0 })
  })

  it.each<[what: string, tamper: Tamper, check: string]>([
    ['a score', digitOf('/trust-score', 'overall'), 'score'],
    ['a row of a score', digitOf('/inputs', 'completed'), 'score'],
    [
      'the size of the log',
      (path, body) => (path.endsWith('/checkpoint') ? body.replace(/^(\d+)$/m, '1$1') : undefined),
      'checkpoint',
    ],
    [
      'an entry of the log',
      (path, body) => (path.includes('log-entries?after') ? body.replace(/(\\"rev\\":)1/, '$12') : undefined),
      'entries',
    ],
  ])('detects that a proxy changed one digit of %s', async (_, tamper, check) => {
    await using cli = await newCli(h.base_url, { tamper })
    const ran = await cli.run('verify', reg, '--json')
    expect(ran.status).toBe(1)
    const { verdict, checks } = jsonOf(ran)
    expect(verdict).toBe('failed')
    expect(checks.find(({ name }: Body) => name === check)).toMatchObject({ ok: false })
  })

  it('exits with status 1 for an unknown number, and with status 2 if it is incomplete', async () => {
    await using cli = await newCli(h.base_url)
    const missing = unknownReg()
    const unknown = await cli.run('verify', missing)
    expect(unknown).toMatchObject({
      status: 1,
      err: '',
      out: expect.stringContaining(`${missing}  unknown_agent`),
    })
    expect(jsonOf(await cli.run('verify', missing, '--json'))).toMatchObject({
      verdict: 'unknown_agent',
      checks: [],
    })
    const unreachable = await cli.run('verify', reg, '--base-url', `http://127.0.0.1:${await freePort()}`)
    expect(unreachable).toMatchObject({ status: 2, out: expect.stringContaining('incomplete') })
    const wrong = await cli.run('verify', reg.slice(0, -1) + (reg.endsWith('X') ? 'Y' : 'X'))
    expect(wrong).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining('must be an agent number'),
    })
  })

  it('opens with the key of a platform the events since the agent joined it, and does not take them for the whole log', async () => {
    const { operator, key, reg: member } = await h.newReporter()
    for (let n = 0; n < 60; n++) await h.report(key, member, { metadata: { n } })
    const { slug } = await h.newPlatform(operator)
    const patched = await h.api('PATCH', `/agents/${member}`, {
      token: operator.token,
      body: { platform_slug: slug },
    })
    expect(patched.status).toBe(200)
    const permissions = ['read', 'activity:report']
    const ofPlatform = await h.api('POST', `/platforms/${slug}/api-keys`, {
      token: operator.token,
      body: { name: 'reads', permissions },
    })
    expect(ofPlatform.status).toBe(201)
    for (let n = 0; n < 2; n++) await h.report(ofPlatform.body.key, member, { metadata: { n } })
    await untilVerified(h, member)
    await using cli = await newCli(h.base_url)
    const told = await cli.run('verify', member, '--key', ofPlatform.body.key)
    expect(told).toMatchObject({ status: 0, out: expect.stringContaining(`${member}  verified`) })
    expect(told.out).toContain("the key is not that of the agent's operator: it cannot open 12 events")
  })

  it('checks the log with the key that the caller pins', async () => {
    await using cli = await newCli(h.base_url)
    const { vkeys } = (await h.api('GET', '//log/info.json')).body
    const pinned = jsonOf(await cli.run('verify', reg, '--vkey', vkeys[0], '--json'))
    expect(pinned.verdict).toBe('verified')
    expect(JSON.stringify(pinned.checks)).not.toContain('taken from the registry itself')
    const malformed = await cli.run('verify', reg, '--vkey', 'nonsense')
    expect(malformed).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^error: --vkey: /) })
    const missing = await cli.run('verify', reg, '--witness', 'none')
    expect(missing).toMatchObject({ status: 2, err: expect.stringMatching(/^error: none: /) })
  })
})
