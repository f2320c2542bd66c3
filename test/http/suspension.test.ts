import { expect, it } from 'vitest'
import { platformKey } from '../support/attested.ts'
import { tirelessKey } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { auditOf } from '../support/platforms.ts'

const h = shared()
const { api, newOperator, signInByMail, newAgent, newPlatform, suspend, sql } = h

it("a suspended operator's credentials are rejected, and valid again after the suspension", async () => {
  const operator = await newOperator({ tier: 'business' })
  const { email, token } = operator
  const { slug } = await newPlatform(operator)
  const { reg } = await newAgent(operator, { platform_slug: slug })
  const [key, ofPlatform] = await Promise.all([
    tirelessKey(h, operator, ['read', 'activity:report']),
    platformKey(h, operator, slug),
  ])
  const calls = async () => {
    const body = { reg, event_type: 'x' }
    const responses = await Promise.all([
      api('GET', '/operators/me', { token }),
      api('GET', '/operators/me/agents', { token: key }),
      api('POST', '/activity/report', { token: key, body }),
      api('POST', '/activity/report', { token: ofPlatform, body }),
    ])
    return responses.map(({ status }) => status)
  }
  expect(await calls()).toEqual([200, 200, 201, 201])
  await suspend(operator)
  expect(await calls()).toEqual([403, 403, 403, 403])
  const events = await sql(
    'select events::integer from agent_stats s join agents a on a.id = agent_id where reg = $1',
    [reg],
  )
  expect(events).toEqual([{ events: 2 }])
  expect(await h.admin('unsuspend', email)).toContain('active')
  expect(await calls()).toEqual([200, 200, 201, 201])
  expect((await api('GET', `/verify/${reg}`)).body).toMatchObject({ operator_status: 'active' })
  expect((await signInByMail(email)).id).toBe(operator.id)
})

it('suspensions and tier changes print the state, and are in the audit log, but not those without effect', async () => {
  const [operator, other] = [await newOperator(), await newOperator()]
  const { email } = operator
  const free = 'active, free, 0 of 3 agents active'
  const pro = 'pro, 0 of 50 agents active'
  const steps: [args: string[], state: string][] = [
    [['tier', email, 'free'], free],
    [['tier', email, 'pro'], `active, ${pro}`],
    [['tier', email, 'pro'], `active, ${pro}`],
    [['suspend', email], `suspended, ${pro}`],
    [['suspend', email.toUpperCase()], `suspended, ${pro}`],
    [['unsuspend', email], `active, ${pro}`],
    [['unsuspend', email], `active, ${pro}`],
  ]
  for (const [args, state] of steps) expect(await h.admin(...args)).toBe(`${email}: ${state}`)
  await Promise.all(Array.from({ length: 20 }, () => h.admin('tier', other.email, 'business')))
  expect(await auditOf(h, operator)).toEqual([
    { action: 'session.started', target: expect.any(String) },
    { action: 'operator.tier_changed', target: 'pro' },
    { action: 'operator.suspended', target: null },
    { action: 'operator.unsuspended', target: null },
  ])
  const changes = (await auditOf(h, other)).slice(1)
  expect(changes).toEqual([{ action: 'operator.tier_changed', target: 'business' }])
})
