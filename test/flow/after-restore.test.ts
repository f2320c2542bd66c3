import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@upstash/qstash'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { administer } from '../../scripts/admin.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { type Integration, newIntegration } from '../support/deliveries.ts'
import { type Body, expectError, type Operator, ownStack } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'
import { timeTravel } from '../support/set-back.ts'

const ROOT = join(import.meta.dirname, '../..')
const year = new Date().getUTCFullYear()

delete process.env.QSTASH_URL // always use the stand-in, because these tests move its clock
const own = await ownStack()
const mail = mailControl(own)
const { lost, keepState, setBack } = timeTravel(own.database_url)

let integration: Integration
beforeAll(async () => {
  await own.qstash.setClock({ mode: 'virtual', stands: true })
  integration = await newIntegration(own)
})
afterAll(async () => {
  await integration.stop()
  await own.stop()
})

async function afterRestore(variables: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, DATABASE_URL: own.database_url, LOST_DATABASE_URL: '', ...variables }
  const words = ['run', '-s', 'admin', '--', 'after-restore']
  return (await promisify(execFile)('npm', words, { cwd: ROOT, env })).stdout
}

/** One after the other, because registrations of one operator wait for each other in any case. */
async function numbersOf(owner: Operator, count: number): Promise<string[]> {
  const numbers: string[] = []
  while (numbers.length < count) numbers.push((await own.newAgent(owner)).reg)
  return numbers
}

const statusOf = async (token: string) => (await own.api('GET', '/operators/me/agents', { token })).status
const slots = (): Promise<Body[]> => own.sql('select slot, block, next from number_slots order by slot')

it('after a restore no agent number is assigned twice, and revoked credentials stay rejected', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, () => own.newOperator({ tier: 'business' })))
  const [owner, leaver, barred] = people as [Operator, Operator, Operator]
  const [good, revoked, barredKey] = await Promise.all([
    own.newKey(owner, ['read']),
    own.newKey(owner, ['read']),
    own.newKey(barred, ['read']),
  ])
  // At the restore point, most slots are unused, and one is at the last number of its block.
  await own.sql('insert into number_slots (year, slot, block, next) values ($1, 1, 2, 9999)', [year])
  const { platform, receiver, operator } = integration
  const reported = await own.newAgent(operator, { platform_slug: platform.slug })
  // Otherwise QStash drops the first message after the restore as a duplicate, and only the next one is delivered.
  const published = () => own.sql('select from webhook_deliveries where publish_count = 1')
  await expect.poll(published).toHaveLength(1)
  const alerted = await own.newReporter()
  await own.report(alerted.key, alerted.reg, { event_type: 'incident' })
  const { id: leaked } = await own.report((await own.newKey(operator)).key, reported.reg, {
    metadata: { note: 'leaked' },
  })
  await keepState()

  await administer(own.database_url, ['redact', leaked, '--reason', 'secret'])
  await administer(own.database_url, ['erase', leaked])
  const since = await numbersOf(owner, 60)
  await own.api('DELETE', `/operators/me/api-keys/${revoked.id}`, { token: owner.token })
  await own.api('DELETE', '/auth/session', { token: leaver.token })
  await administer(own.database_url, ['suspend', barred.email])
  for (const name of [reported.reg, platform.slug])
    await administer(own.database_url, ['withhold-text', name])
  await own.api('PATCH', '/operators/me', {
    token: owner.token,
    body: { mail_opt_outs: ['trust_alert'] },
  })
  const gone = await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  const [first] = receiver.received.filter(({ event }) => event.data.reg === reported.reg)
  expect(receiver.received).toHaveLength(2)
  await setBack()

  // Without the command, everything that ended since is valid again.
  expect(await Promise.all([revoked.key, leaver.token, barredKey.key].map(statusOf))).toEqual([200, 200, 200])
  expect((await own.api('GET', `/agents/${gone.reg}`)).status).toBe(404)

  const live = await own.sql('select id from sessions where ended_at is null')
  expect(await afterRestore({ LOST_DATABASE_URL: lost })).toBe(
    `numbers: 8 slots of ${year} skipped 2 blocks each
sessions: ${live.length} ended
mails: 1 pending mails are not sent
API keys: 1 revoked again; keys of agents: 0 ended again; operators: 1 suspended again
redactions: 1 repeated; were erased, must be erased again: ${leaked}
withheld texts: 2 withheld again
`,
  )
  expect(await Promise.all([revoked.key, leaver.token, owner.token].map(statusOf))).toEqual([401, 401, 401])
  expect(await Promise.all([good.key, barredKey.key].map(statusOf))).toEqual([200, 403])

  const { body: log } = await own.api('GET', `/agents/${reported.reg}/activity`)
  expect(log.data).toMatchObject([{ metadata: {}, redacted: { reason: 'secret' } }])

  expect((await own.api('GET', `/agents/${reported.reg}`)).body).toMatchObject({
    name: reported.reg,
    platform_name: platform.slug,
  })

  const again = await own.newOperator({ email: owner.email })
  const { body: audit } = await own.api('GET', '/operators/me/audit-log?per_page=50', { token: again.token })
  const actions = audit.data.map(({ action, target }: Body) => [action, target])
  expect(actions).toContainEqual(['api_key.revoked', revoked.id])
  expect(actions.filter(([action]: string[]) => action === 'session.ended')).toHaveLength(1)

  const after = await numbersOf(again, 60)
  const all = [...since, ...after, reported.reg, gone.reg]
  expect(new Set(all).size).toBe(all.length)

  // The event delivered after the restore point is delivered again under its id; the lost one is not.
  expect(await own.sql("select from webhook_deliveries where status = 'pending'")).toHaveLength(1)
  await own.cron(new Date(Date.now() + 30 * MINUTE_MS))
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(receiver.received).toHaveLength(3)
  expect(receiver.received[2]?.event).toEqual(first?.event)
  const heirs = await own.newOperator({ email: owner.email })
  const { body: me } = await own.api('GET', '/operators/me', { token: heirs.token })
  expect(me.mail_opt_outs).toEqual(['trust_alert'])
  // Without digests, which the jobs also send when the clock of this test reaches Monday.
  const alerts = (await mail.rows(alerted.operator)).filter(({ type }) => type === 'incident_alert')
  expect(alerts).toMatchObject([{ status: 'skipped', attempts: 0 }])
  expect(
    (await mail.received(alerted.operator)).filter(({ subject }) => !/^Your week/.test(subject)),
  ).toEqual([])
  const { token } = await own.newOperator({ email: operator.email })
  const { body } = await own.api('GET', `${integration.path}/deliveries`, { token })
  expect(body.data).toMatchObject([{ status: 'delivered', type: 'agent.registered' }])
})

it('skips two blocks in each slot also without the lost database, and names what it cannot restore', async () => {
  await own.sql('delete from number_slots where slot = 3')
  const before = await slots()
  expect(await afterRestore()).toMatch(
    /^numbers: 8 slots[^\n]*\n[^\n]*\n[^\n]*\nAPI keys, keys of agents, and operators: .*LOST_DATABASE_URL/,
  )
  const blocks = new Map(before.map(({ slot, block }) => [slot, block]))
  for (const { slot, block, next } of await slots()) {
    expect({ slot, block, next }).toEqual({ slot, block: (blocks.get(slot) ?? slot + 1) + 16, next: 1 })
  }
  expect(await slots()).toHaveLength(8)
})

it('rejects the restored database as the lost one', async () => {
  await expect(afterRestore({ LOST_DATABASE_URL: own.database_url })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/another database/),
  })
})

it('the relay accepts messages for deliveries that no longer exist', async () => {
  const client = new Client({ baseUrl: own.qstash_url, token: TOKEN, retry: false })
  const url = `${own.base_url}/internal/qstash/deliver`
  const sent = integration.receiver.received.length
  const body = { delivery_id: '019a0000-0000-7000-8000-000000000000', attempt: 3, host: null }
  await client.publishJSON({ url, body })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(await own.qstash.messages()).toEqual([])
  expect(integration.receiver.received).toHaveLength(sent)
})

it('rejects extra arguments without changing anything', async () => {
  const before = await slots()
  await expect(administer(own.database_url, ['after-restore', 'now'])).rejects.toThrow(/usage/)
  expectError(await own.api('GET', '/agents/REG-2026-0001-0042-U'), 404, 'NOT_FOUND')
  expect(await slots()).toEqual(before)
})
