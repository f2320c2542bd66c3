import { afterAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { newAgentKey } from '../support/agent-keys.ts'
import { plus } from '../support/day.ts'
import { type Body, type Operator, ownStack } from '../support/harness.ts'
import { kycControl, START } from '../support/kyc.ts'
import { countSteps, HOLDS_MS } from '../support/steps.ts'
import { webControl } from '../support/web.ts'

const WEEK_MS = 7 * DAY_MS

const own = await ownStack() // its own stack, because its jobs run with dates a year ahead
afterAll(own.stop)
const kyc = kycControl(own)
const web = webControl(own)

/** The notifications of an operator, oldest first, and whether an email is queued for them. */
const notices = ({ id }: Operator, type: string): Promise<Body[]> =>
  own.sql(
    `select n.title, n.body, n.reg, m.status is not null as is_mailed
     from notifications n left join mails m using (id)
     where n.operator_id = $1 and n.type = $2 order by n.created_at`,
    [id, type],
  )

describe('an identity verification', () => {
  /** Read from the table, because a session of today has expired a year later. */
  async function statusOf({ id }: Operator): Promise<string> {
    const [row] = await own.sql('select kyc_status from operators where id = $1', [id])
    return row.kyc_status
  }

  it('ends after 365 days, and the operator may start again', async () => {
    const verifiedAt = new Date()
    const operator = await kyc.verifiedOperator(verifiedAt)
    await own.cron(plus(365 * DAY_MS - 60_000, verifiedAt))
    expect(await statusOf(operator)).toBe('verified')
    const over = plus(365 * DAY_MS + 60_000, verifiedAt)
    await Promise.all([own.cron(over), own.cron(over)])
    expect(await statusOf(operator)).toBe('expired')
    const back = await own.newOperator({ email: operator.email, now: over })
    expect((await own.api('POST', START, { token: back.token, now: over })).status).toBe(200)
    expect(await statusOf(operator)).toBe('pending')
    await kyc.send('canceled', await kyc.openSession(operator), { now: over })
    expect(await statusOf(operator)).toBe('expired')
  })

  it('is announced to end once 30 and once 7 days before, also by concurrent jobs', async () => {
    const verifiedAt = new Date()
    const operator = await kyc.verifiedOperator(verifiedAt)
    const reminders = () => notices(operator, 'kyc_reminder')
    await own.cron(plus(335 * DAY_MS - HOUR_MS, verifiedAt))
    expect(await reminders()).toEqual([])
    for (const [days, count] of [
      [335, 1],
      [358, 2],
    ] as const) {
      const due = plus(days * DAY_MS + HOUR_MS, verifiedAt)
      await Promise.all([own.cron(due), own.cron(due), own.cron(due)])
      await own.cron(plus((days + 6) * DAY_MS, verifiedAt))
      expect(await reminders()).toHaveLength(count)
    }
    const day = plus(365 * DAY_MS, verifiedAt)
      .toISOString()
      .slice(0, 10)
    const title = `Your identity verification expires on ${day}`
    expect((await reminders()).at(-1)).toMatchObject({ title, is_mailed: true })
    await own.cron(plus(366 * DAY_MS, verifiedAt))
    expect(await reminders()).toHaveLength(2)
  })

  it('is announced to end once when both times have passed, unless the operator opted out', async () => {
    const verifiedAt = new Date()
    const [late, quiet] = [await kyc.verifiedOperator(verifiedAt), await kyc.verifiedOperator(verifiedAt)]
    const body = { notification_prefs: { kyc_reminders: false } }
    await own.api('PATCH', '/operators/me', { token: quiet.token, body })
    for (const days of [360, 361]) await own.cron(plus(days * DAY_MS, verifiedAt))
    expect(await notices(late, 'kyc_reminder')).toHaveLength(1)
    expect(await notices(quiet, 'kyc_reminder')).toEqual([])
  })

  it('takes at most four network steps, whatever the state of the last check', async () => {
    const operator = await own.newOperator()
    const { token } = operator
    const start = (now = new Date()) => countSteps(() => own.api('POST', START, { token, now }), HOLDS_MS[2])
    await start()
    expect((await start()).steps).toBe(2)
    expect((await start(plus(25 * HOUR_MS))).steps).toBe(4)
    await kyc.stripe.identity.verificationSessions.cancel(await kyc.openSession(operator))
    await expect.poll(() => statusOf(operator)).toBe('unverified')
    expect((await start()).steps).toBe(3)
    await kyc.send('verified', await kyc.openSession(operator))
    const { steps, response } = await start()
    expect({ steps, status: response.status }).toEqual({ steps: 1, status: 409 })
  })

  it('is processed when a person finished it while the Worker was down', async () => {
    const operator = await own.newOperator()
    const { body } = await own.api('POST', START, { token: operator.token })
    await own.stack.worker.kill()
    await kyc.decide(body.verification_url, { outcome: 'approve' })
    expect(kyc.undelivered()).toBeGreaterThan(0)
    await own.stack.restartWorker()
    await expect.poll(() => statusOf(operator)).toBe('verified')
  })
})

describe('a proof of a domain', () => {
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

  async function missesOf(reg: string): Promise<number[]> {
    const rows = await own.sql(
      `select misses from ownership_challenges c join agents a on a.id = c.agent_id
       where reg = $1 and verified_at is not null order by verified_at`,
      [reg],
    )
    return rows.map(({ misses }) => misses)
  }

  async function countLookups(domain: string, work: () => Promise<unknown>): Promise<number> {
    const before = recordedCalls().length
    await work()
    return recordedCalls()
      .slice(before)
      .filter(({ service, path }) => service === 'web' && path.includes(domain)).length
  }

  it.each(['dns', 'http'] as const)(
    'is lost after three weekly checks without it by %s, with one notification, and can be given again',
    async (method) => {
      const { owner, reg, challenge, week } = await provenAgent(method)
      const body = {
        notification_prefs: { trust_alerts: false, incident_alerts: false, weekly_digest: false },
      }
      await own.api('PATCH', '/operators/me', { token: owner.token, body })
      const homepage_url = `https://${challenge.domain}/`
      await own.api('PATCH', `/agents/${reg}`, { token: owner.token, body: { homepage_url } })
      await web.withdraw(challenge)
      const losses = () => notices(owner, 'ownership_lost')
      for (const n of [1, 2]) await own.cron(week(n))
      expect(await missesOf(reg)).toEqual([2])
      expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified', homepage_url })
      expect(await losses()).toEqual([])
      await Promise.all([own.cron(week(3)), own.cron(week(3)), own.cron(week(3))])
      expect(await profileOf(reg)).toMatchObject({
        ownership_status: 'unverified',
        ownership_verified_at: null,
        domain: null,
        homepage_url: null,
      })
      const title = `Domain no longer verified: ${challenge.domain}`
      expect(await losses()).toMatchObject([{ title, reg, is_mailed: true }])
      const audit = `select target from audit_log where operator_id = $1 and action = 'ownership.lost'`
      expect(await own.sql(audit, [owner.id])).toEqual([{ target: reg }])
      expect(await countLookups(challenge.domain, () => own.cron(week(4)))).toBe(0)
      expect(await losses()).toHaveLength(1)

      expect((await web.verify(reg, owner)).status).toBe(409)
      const back = await own.newOperator({ email: owner.email, now: week(4) })
      await web.prove(reg, back, { domain: challenge.domain, now: week(4) })
      expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
    },
  )

  it('is checked once per week', async () => {
    const { reg, challenge, week } = await provenAgent()
    const lookups = (now: Date) => countLookups(challenge.domain, () => own.cron(now))
    const times = [week(1, -60_000), week(1), week(1), week(2, -60_000), week(2)]
    const found: number[] = []
    for (const time of times) found.push(await lookups(time))
    expect(found).toEqual([0, 1, 0, 0, 1])
    expect(await missesOf(reg)).toEqual([0])
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
  })

  it('that is back resets the misses', async () => {
    const { reg, challenge, week } = await provenAgent('http')
    await web.withdraw(challenge)
    for (const n of [1, 2]) await own.cron(week(n))
    await web.publish(challenge)
    await own.cron(week(3))
    expect(await missesOf(reg)).toEqual([0])
    await web.withdraw(challenge)
    for (const n of [4, 5]) await own.cron(week(n))
    expect(await missesOf(reg)).toEqual([2])
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
  })

  it('is missed once by concurrent checks', async () => {
    const { reg, challenge, week } = await provenAgent('http')
    await web.putFile(challenge.domain, 'gone', { status: 404, delay_ms: 2_500 })
    const lookups = await countLookups(challenge.domain, () =>
      Promise.all([1, 2, 3, 4].map(() => own.cron(week(1)))),
    )
    expect(lookups).toBeGreaterThan(1)
    expect(await missesOf(reg)).toEqual([1])
  })

  it('is not missed while the resolver is down, and files are still checked', async () => {
    const [byDns, byFile] = [await provenAgent('dns'), await provenAgent('http')]
    await using withoutResolver = await own.variant({ DOH_URL: 'http://127.0.0.1:9/dns-query' })
    await web.withdraw(byDns.challenge)
    await web.withdraw(byFile.challenge)
    for (const week of [1, 2, 3]) await runCron(withoutResolver.url, byFile.week(week))
    expect(await profileOf(byDns.reg)).toMatchObject({ ownership_status: 'verified' })
    expect(await missesOf(byDns.reg)).toEqual([0])
    expect(await profileOf(byFile.reg)).toMatchObject({ ownership_status: 'unverified' })
    await own.cron(byDns.week(3))
    expect(await missesOf(byDns.reg)).toEqual([1])
  })

  it('is the newest one', async () => {
    const { owner, reg, challenge, week } = await provenAgent()
    await web.prove(reg, owner)
    await web.withdraw(challenge)
    expect(await countLookups(challenge.domain, () => own.cron(week(1)))).toBe(0)
    expect(await missesOf(reg)).toEqual([0, 0])
  })

  it('is one of at most sixty that a run checks', async () => {
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

  it.each(['dns', 'http'] as const)(
    'by %s takes four network steps, and one more when there is one',
    async (method) => {
      const owner = await own.newOperator()
      const { reg } = await own.newAgent(owner)
      await web.publish(await web.challenge(reg, owner, { method }))
      for (const steps of [4, 1]) {
        const verified = await countSteps(() => web.verify(reg, owner), HOLDS_MS[2])
        expect({ steps: verified.steps, status: verified.response.status }).toEqual({ steps, status: 200 })
      }
    },
  )
})

describe('a key of an agent', () => {
  const remindersOf = async (operator: Operator) =>
    (await notices(operator, 'agent_key')).filter(({ title }) => title.includes('expires'))

  it('is announced to expire once, a week before, also by concurrent jobs', async () => {
    const now = new Date()
    const operator = await own.newOperator({ now })
    const { reg } = await own.newAgent(operator)
    const expires = plus(30 * DAY_MS, now)
    const { kid } = await newAgentKey(own, operator, reg, { now, expires_at: expires.toISOString() })
    await newAgentKey(own, operator, reg, { now })
    await own.cron(plus(23 * DAY_MS - HOUR_MS, now))
    expect(await remindersOf(operator)).toEqual([])
    const due = plus(23 * DAY_MS + HOUR_MS, now)
    await Promise.all([own.cron(due), own.cron(due), own.cron(due)])
    const title = `Key of Scout expires on ${expires.toISOString().slice(0, 10)}`
    const body = `Requests signed with ${kid} are not from Scout after that. Register another key before then.`
    const once = [{ title, body, reg, is_mailed: true }]
    expect(await remindersOf(operator)).toEqual(once)
    await own.cron(plus(29 * DAY_MS, now))
    expect(await remindersOf(operator)).toEqual(once)
  })

  it('is not announced to expire once it is revoked or expired, its agent is deactivated, or for less than a week', async () => {
    const now = new Date()
    const operator = await own.newOperator({ tier: 'pro', now })
    const { token } = operator
    const newOne = async (days: number) => {
      const { reg } = await own.newAgent(operator)
      const expires_at = plus(days * DAY_MS, now).toISOString()
      return { reg, ...(await newAgentKey(own, operator, reg, { now, expires_at })) }
    }
    const [revoked, deactivated] = [await newOne(30), await newOne(30), await newOne(6), await newOne(20)]
    await own.api('DELETE', `/agents/${revoked.reg}/keys/${revoked.kid}`, { token })
    await own.api('PATCH', `/agents/${deactivated.reg}`, { token, body: { status: 'deactivated' } })
    for (const days of [5, 29]) await own.cron(plus(days * DAY_MS, now))
    expect(await remindersOf(operator)).toEqual([])
  })
})
