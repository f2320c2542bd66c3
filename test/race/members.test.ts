import { expect, it } from 'vitest'
import { atOnce } from '../support/at-once.ts'
import { establish } from '../support/attested.ts'
import { type ApiResponse, type Operator, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'
import { memberControl, NOBODY_LISTENS } from '../support/members.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform } = h
const { newMembership, patch, confirm, remove, retire, profile, reported } = memberControl(h)
const audited = async ({ id }: Operator, action: string): Promise<number> =>
  (await sql('select 1 from audit_log where operator_id = $1 and action = $2', [id, action])).length

it('removes an agent once for concurrent requests, and never confirms it afterward', async () => {
  const { host, owner, platform, slug, reg } = await newMembership()
  const responses = await atOnce((n) => (n % 2 ? remove : confirm)(host, slug, reg))
  const removals = responses.filter((_, n) => n % 2)
  for (const { status, body } of removals) {
    expect(status).toBe(200)
    expect(body).toEqual(removals[0]?.body)
  }
  for (const { status } of responses) expect([200, 404]).toContain(status)
  expect(await profile(reg)).toMatchObject({ platform_slug: null, platform_state: null })
  expect((await confirm(host, slug, reg)).status).toBe(404)
  expect(await audited(host, 'platform.agent_removed')).toBe(1)
  expect(await audited(owner, 'agent.removed_from_platform')).toBe(1)
  expect(await audited(host, 'platform.agent_confirmed')).toBeLessThanOrEqual(1)
  expect((await reported(platform)).filter((said) => said.startsWith('agent.updated'))).toHaveLength(1)
  expect(await sql('select from notifications where reg = $1', [reg])).toHaveLength(1)
})

it('keeps an agent off the platform that removes it, when it leaves and joins concurrently', async () => {
  const { host, owner, platform, slug, reg } = await newMembership()
  await establish(h, slug)
  const responses = await atOnce((n) =>
    n % 4 === 0 ? remove(host, slug, reg) : patch(owner, reg, { platform_slug: n % 2 ? slug : null }),
  )
  for (const { status } of responses) expect([200, 409]).toContain(status)
  expect(await profile(reg)).toMatchObject({ platform_slug: null })
  expect(await reported(platform)).toHaveLength(2)
})

it('keeps an agent off a platform that removes it, when it leaves at once and joins concurrently', async () => {
  const { host, owner, slug, reg } = await newMembership()
  const responses = await atOnce((n) =>
    n % 4 === 0 ? remove(host, slug, reg) : patch(owner, reg, { platform_slug: n % 2 ? slug : null }),
  )
  for (const { status } of responses) expect([200, 404, 409]).toContain(status)
  const removed = responses.some(({ status }, n) => n % 4 === 0 && status === 200)
  if (removed) expect(await profile(reg)).toMatchObject({ platform_slug: null })
})

it('joins a platform once for twenty concurrent requests', async () => {
  const { platform, slug } = await newMembership()
  const owner = await newOperator()
  const { reg } = await newAgent(owner)
  const responses = await atOnce(() => patch(owner, reg, { platform_slug: slug }))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(await audited(owner, 'agent.platform_changed')).toBe(1)
  expect(await reported(platform)).toHaveLength(2)
})

it('leaves no active key, and rejects later registrations, on a platform that is retired concurrently', async () => {
  const { host, slug } = await newMembership()
  const owner = await newOperator({ tier: 'pro' })
  const end = () => retire(host, slug)
  const register = () =>
    api('POST', '/agents', { token: owner.token, body: { name: 'Late', class: 'A', platform_slug: slug } })
  const key = () => api('POST', `/platforms/${slug}/api-keys`, { token: host.token, body: { name: 'a key' } })
  const calls = [key, register, register, end]
  const responses: ApiResponse[] = await atOnce((n) => (calls[n % calls.length] ?? end)())
  for (const { status } of responses) expect([200, 201, 409]).toContain(status)
  const keys = await sql(
    'select from api_keys k join platforms p on p.id = k.platform_id where p.slug = $1 and k.revoked_at is null',
    [slug],
  )
  expect(keys).toEqual([])
  expect(await audited(host, 'platform.retired')).toBe(1)
  expect((await register()).status).toBe(409)
  const { body } = await api('GET', '/operators/me/agents', { token: owner.token })
  for (const agent of body.data)
    expect(agent).toMatchObject({ platform_slug: slug, platform_state: 'retired' })
})

type Write = (on: { host: Operator; owner: Operator; slug: string; reg: string }) => Promise<ApiResponse>

it.each<[name: string, write: Write]>([
  [
    'makes a key',
    ({ host: { token }, slug }) =>
      api('POST', `/platforms/${slug}/api-keys`, { token, body: { name: 'a key' } }),
  ],
  [
    'registers an agent',
    ({ owner: { token }, slug }) =>
      api('POST', '/agents', { token, body: { name: 'Late', class: 'A', platform_slug: slug } }),
  ],
  [
    'moves an agent',
    async ({ owner, slug }) => patch(owner, (await newAgent(owner)).reg, { platform_slug: slug }),
  ],
  ['confirms an agent', ({ host, slug, reg }) => confirm(host, slug, reg)],
  ['removes an agent', ({ host, slug, reg }) => remove(host, slug, reg)],
])('waits for a change of the platform that is being written, and %s no more', async (_, write) => {
  const on = await newMembership()
  const held = await holdOpen(h, `update platforms set status = 'retired' where slug = $1`, [on.slug])
  const writing = write(on)
  await held.isWaitedFor()
  await held.commit()
  expect((await writing).status).toBe(409)
})

it('audits no confirmation of an agent that is being confirmed', async () => {
  const { host, slug, reg } = await newMembership()
  const held = await holdOpen(h, `update agents set platform_state = 'confirmed' where reg = $1`, [reg])
  const confirming = confirm(host, slug, reg)
  await held.isWaitedFor()
  await held.commit()
  expect((await confirming).status).toBe(200)
  expect(await audited(host, 'platform.agent_confirmed')).toBe(0)
})

it('moves no agent to a platform whose retirement is being written', async () => {
  const { host, owner, slug, reg } = await newMembership()
  await establish(h, slug)
  const next = await newPlatform(await newOperator())
  await patch(owner, reg, { platform_slug: next.slug })
  const held = await holdOpen(h, `update platforms set status = 'retired' where slug = $1`, [next.slug])
  const removing = remove(host, slug, reg)
  await held.isWaitedFor()
  await held.commit()
  expect((await removing).status).toBe(200)
  expect(await profile(reg)).toMatchObject({ platform_slug: null })
})

it('makes a move once for concurrent runs of the job', async () => {
  const { owner, platform, slug, reg } = await newMembership()
  await establish(h, slug)
  const next = await newPlatform(await newOperator(), { webhook_url: NOBODY_LISTENS })
  await patch(owner, reg, { platform_slug: next.slug })
  await sql('update agents set platform_leaves_at = now() where reg = $1', [reg])
  await Promise.all(Array.from({ length: 5 }, () => h.cron()))
  expect(await profile(reg)).toMatchObject({ platform_slug: next.slug })
  expect(await reported(platform)).toEqual(['agent.registered claimed', 'agent.updated platform_slug'])
  expect(await reported(next)).toEqual(['agent.registered claimed'])
})
