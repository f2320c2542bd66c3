import { expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { parseEnv } from '../../src/env.ts'
import { importTokenKeys } from '../../src/transparency/token.ts'
import { establish } from '../support/attested.ts'
import { tablesWith } from '../support/database.ts'
import { type Body, freshEmail, freshSlug, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { SETTINGS } from '../support/settings.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { admin, api, newOperator, newPlatform } = h

it('names the wrong argument, and prints its usage, without a database for --help', async () => {
  const [email, slug] = [freshEmail(), freshSlug()]
  for (const [args, message] of [
    [['suspend', email], `there is no operator ${email}; an operator exists after the first sign-in`],
    [['tier', email, 'gold'], "tier: must be free|pro|business|enterprise, not 'gold'"],
    [['promote', email], /^unknown command 'promote': must be suspend, .*\nusage:\n/],
    [['distrust', slug], `there is no platform ${slug}`],
    [['end-distrust'], /^usage:\n {2}npm run -s admin -- end-distrust <slug>$/],
  ] as const)
    await expect(admin(...args)).rejects.toThrow(message)
  expect(await administer(() => '', ['--help'])).toContain('\n  npm run -s admin -- suspend <email>')
})

it('prints a new token key each time, without a database', async () => {
  const none = () => {
    throw new Error('no database')
  }
  const keys = await Promise.all([1, 2].map(() => administer(none, ['token-key'])))
  expect(new Set(keys).size).toBe(2)
  const read = () => parseEnv({ ...SETTINGS, TOKEN_KEYS: `[${keys}]` }).TOKEN_KEYS
  expect(read()).toHaveLength(2)
  expect(await importTokenKeys(read())).toHaveLength(2)
  await expect(administer(none, ['suspend', 'alice@example.com'])).rejects.toThrow('no database')
})

it('distrusts a platform and ends the distrust, each with one audit log entry for its operator', async () => {
  const host = await newOperator()
  const { slug } = await newPlatform(host)
  const runFiveTimes = async (...args: string[]) => {
    const [printed, ...others] = await Promise.all(Array.from({ length: 5 }, () => admin(...args)))
    expect(others).toEqual(others.map(() => printed))
    return printed
  }
  const shown = async () => (await api('GET', `/platforms/${slug}`)).body
  expect(await runFiveTimes('distrust', slug)).toMatch(`${slug}: not established; distrusted since `)
  expect(await shown()).toMatchObject({ established_at: null, distrusted_at: expect.any(String) })
  expect(await runFiveTimes('end-distrust', slug)).toMatch(`${slug}: not established; its reports`)
  expect((await shown()).distrusted_at).toBeNull()
  await establish(h, slug)
  expect(await runFiveTimes('end-distrust', slug)).toMatch(`${slug}: established since `)
  const { body } = await api('GET', '/operators/me/audit-log', { token: host.token })
  const entries = body.data.filter(({ target }: Body) => target === slug)
  expect(entries.map(({ action }: Body) => action)).toEqual([
    'platform.distrust_ended',
    'platform.distrusted',
    'platform.registered',
  ])
})

it('erases the person behind an operator from every table, and keeps numbers and events', async () => {
  const mark = `erasable-${freshSlug()}`
  const operator = await newOperator({ email: `${mark}@people.example` })
  const [{ reg }, { key }] = await Promise.all([h.newAgent(operator), h.newKey(operator)])
  const platform = await newPlatform(operator, { name: `Shop ${mark}` })
  await api('PATCH', '/operators/me', {
    token: operator.token,
    body: { name: `Ada ${mark}`, company_name: mark },
  })
  await api('PATCH', `/agents/${reg}`, {
    token: operator.token,
    body: { name: `Bot ${mark}`, description: mark },
  })
  await h.report(key, reg)
  await untilLogged(h, reg) // earlier texts are in the transparency log
  await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: `Bot 2 ${mark}` } })
  const places = async () => {
    const tables = (await tablesWith(h, mark)).filter((name) => name.startsWith('public.'))
    return new Set(tables.map((name) => name.replace('tlog_outbox', 'tlog_facts'))) // the job moves them
  }
  const before = await places()
  expect([...before]).toEqual(
    expect.arrayContaining(['public.agents', 'public.operators', 'public.platforms']),
  )
  const domain = freshDomain()
  await webControl(h).prove(reg, operator, { domain })
  expect((await api('POST', '/operators/me/kyc/start', { token: operator.token })).status).toBe(200)
  await admin('erase-operator', operator.email, '--dry-run')
  expect(await places()).toEqual(before)
  expect(await admin('erase-operator', operator.email)).toMatch(/^ {2}agents: 1 erased$/m)
  expect(await places()).toEqual(new Set())
  expect((await api('GET', '/operators/me', { token: operator.token })).status).toBe(401)
  expect(
    (await api('POST', '/activity/report', { token: key, body: { reg, event_type: 'heartbeat' } })).status,
  ).toBe(401)
  const { body } = await api('GET', `/agents/${reg}`)
  expect(body).toMatchObject({ reg, name: reg, operator_status: 'suspended', domain: null })
  expect(await h.sql('select from ownership_challenges where domain = $1', [domain])).toEqual([])
  const checks = await h.sql('select provider_session_id as id from kyc_checks where operator_id = $1', [
    operator.id,
  ])
  expect(checks).toEqual([{ id: expect.stringMatching(/^erased /) }])
  expect((await api('GET', `/platforms/${platform.slug}`)).body).toMatchObject({ name: platform.slug })
  await expect(admin('erase-operator', operator.email)).rejects.toThrow('there is no operator')
})
