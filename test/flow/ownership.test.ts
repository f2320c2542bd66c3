import { afterAll, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Body, type Operator, ownStack } from '../support/harness.ts'
import { countSteps } from '../support/steps.ts'
import { webControl } from '../support/web.ts'

const WEEK_MS = 7 * DAY_MS

const own = await ownStack() // its own stack, because its jobs run with dates weeks ahead
afterAll(own.stop)
const web = webControl(own)

/** An agent with a verified domain, and times in weeks after the verification. */
async function provenAgent(method: 'dns' | 'http' = 'dns') {
  const owner = await own.newOperator()
  const { reg } = await own.newAgent(owner)
  const provenAt = new Date()
  const challenge = await web.prove(reg, owner, { method })
  const week = (n: number, more = 60_000) => new Date(provenAt.getTime() + n * WEEK_MS + more)
  return { owner, reg: reg as string, challenge, week }
}

const profileOf = async (reg: string): Promise<Body> => (await own.api('GET', `/agents/${reg}`)).body

const missesOf = async (reg: string): Promise<number[]> => {
  const rows = await own.sql(
    `select misses from ownership_challenges c join agents a on a.id = c.agent_id
     where reg = $1 and verified_at is not null order by verified_at`,
    [reg],
  )
  return rows.map(({ misses }) => misses)
}

const losses = ({ id }: Operator) =>
  own.sql(`select title, body, reg from notifications where operator_id = $1 and type = 'ownership_lost'`, [
    id,
  ])

const countLookups = async (domain: string, work: () => Promise<unknown>): Promise<number> => {
  const { recordedCalls } = await import('../../local/stand-ins/serve.ts')
  const before = recordedCalls().length
  await work()
  return recordedCalls()
    .slice(before)
    .filter(({ service, path }) => service === 'web' && path.includes(domain)).length
}

it.each(['dns', 'http'] as const)(
  'is lost after three weekly checks without its proof by %s, with one notification',
  async (method) => {
    const { owner, reg, challenge, week } = await provenAgent(method)
    await own.api('PATCH', '/operators/me', {
      token: owner.token,
      body: { notification_prefs: { trust_alerts: false, incident_alerts: false, weekly_digest: false } },
    })
    const homepage_url = `https://${challenge.domain}/`
    await own.api('PATCH', `/agents/${reg}`, { token: owner.token, body: { homepage_url } })
    await web.withdraw(challenge)
    await own.cron(week(1))
    await own.cron(week(2))
    expect(await missesOf(reg)).toEqual([2])
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified', homepage_url })
    expect(await losses(owner)).toEqual([])
    await Promise.all([own.cron(week(3)), own.cron(week(3)), own.cron(week(3))])
    expect(await profileOf(reg)).toMatchObject({
      ownership_status: 'unverified',
      ownership_verified_at: null,
      domain: null,
      homepage_url: null,
    })
    expect(await losses(owner)).toEqual([
      {
        title: `Domain no longer verified: ${challenge.domain}`,
        body: expect.stringContaining('Scout is now unverified'),
        reg,
      },
    ])
    const audit = `select target from audit_log where operator_id = $1 and action = 'ownership.lost'`
    expect(await own.sql(audit, [owner.id])).toEqual([{ target: reg }])
    const again = await countLookups(challenge.domain, () => own.cron(week(4)))
    expect(again).toBe(0)
    expect(await losses(owner)).toHaveLength(1)
  },
)

it('checks the proof once per week', async () => {
  const { reg, challenge, week } = await provenAgent()
  const lookups = (now: Date) => countLookups(challenge.domain, () => own.cron(now))
  expect(await lookups(week(1, -60_000))).toBe(0)
  expect(await lookups(week(1))).toBe(1)
  expect(await lookups(week(1))).toBe(0)
  expect(await lookups(week(2, -60_000))).toBe(0)
  expect(await lookups(week(2))).toBe(1)
  expect(await missesOf(reg)).toEqual([0])
  expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
})

it('resets the misses when the proof is back', async () => {
  const { reg, challenge, week } = await provenAgent('http')
  await web.withdraw(challenge)
  await own.cron(week(1))
  await own.cron(week(2))
  await web.publish(challenge)
  await own.cron(week(3))
  expect(await missesOf(reg)).toEqual([0])
  await web.withdraw(challenge)
  await own.cron(week(4))
  await own.cron(week(5))
  expect(await missesOf(reg)).toEqual([2])
  expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
})

it('counts one miss for concurrent checks', async () => {
  const { reg, challenge, week } = await provenAgent('http')
  await web.putFile(challenge.domain, 'gone', { status: 404, delay_ms: 2_500 })
  const lookups = await countLookups(challenge.domain, () =>
    Promise.all([1, 2, 3, 4].map(() => own.cron(week(1)))),
  )
  expect(lookups).toBeGreaterThan(1)
  expect(await missesOf(reg)).toEqual([1])
})

it('counts no miss while the resolver is down, and still checks files', async () => {
  const [byDns, byFile] = [await provenAgent('dns'), await provenAgent('http')]
  const withoutResolver = await own.variant({ DOH_URL: 'http://127.0.0.1:9/dns-query' })
  try {
    await web.withdraw(byDns.challenge)
    await web.withdraw(byFile.challenge)
    for (const week of [1, 2, 3]) await runCron(withoutResolver.url, byFile.week(week))
    expect(await profileOf(byDns.reg)).toMatchObject({ ownership_status: 'verified' })
    expect(await missesOf(byDns.reg)).toEqual([0])
    expect(await profileOf(byFile.reg)).toMatchObject({ ownership_status: 'unverified' })
    await own.cron(byDns.week(3))
    expect(await missesOf(byDns.reg)).toEqual([1])
  } finally {
    await withoutResolver.stop()
  }
})

it('checks only the newest proof', async () => {
  const { owner, reg, challenge, week } = await provenAgent()
  const next = await web.prove(reg, owner)
  await web.withdraw(challenge)
  const lookups = await countLookups(challenge.domain, () =>
    countLookups(next.domain, () => own.cron(week(1))),
  )
  expect(lookups).toBe(0)
  expect(await missesOf(reg)).toEqual([0, 0])
})

it('can be verified again after it was lost', async () => {
  const { owner, reg, challenge, week } = await provenAgent()
  await web.withdraw(challenge)
  for (const n of [1, 2, 3]) await own.cron(week(n))
  expect((await web.verify(reg, owner)).status).toBe(409)
  const back = await own.newOperator({ email: owner.email, now: week(3) })
  await web.prove(reg, back, { domain: challenge.domain, now: week(3) })
  expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
})

it('checks at most sixty proofs per run', async () => {
  const owner = await own.newOperator({ tier: 'enterprise' })
  const { id } = await own.newAgent(owner)
  await own.sql(
    `with more as (
       insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
       select gen_random_uuid(), 'REG-1960-0001-' || lpad(n::text, 4, '0') || '-0', operator_id, 'n' || n, '', 'A', '{}', now()
       from agents, generate_series(1, 150) n where id = $1 returning id)
     insert into ownership_challenges (id, agent_id, domain, method, token, created_at, expires_at, verified_at, checked_at)
     select gen_random_uuid(), id, 'many.example.com', 'dns', 'x', '2020-01-01', '2020-01-08', '2020-01-01', '2020-01-01'
     from more`,
    [id],
  )
  const run = () => countLookups('many.example.com', () => own.cron(new Date()))
  expect([await run(), await run(), await run(), await run()]).toEqual([60, 60, 30, 0])
})

it('takes four network steps to verify, and one when the domain is already verified', async () => {
  for (const method of ['dns', 'http'] as const) {
    const owner = await own.newOperator()
    const { reg } = await own.newAgent(owner)
    await web.publish(await web.challenge(reg, owner, { method }))
    const first = await countSteps(() => web.verify(reg, owner))
    expect({ steps: first.steps, status: first.response.status }).toEqual({ steps: 4, status: 200 })
    const second = await countSteps(() => web.verify(reg, owner))
    expect({ steps: second.steps, status: second.response.status }).toEqual({ steps: 1, status: 200 })
  }
})
