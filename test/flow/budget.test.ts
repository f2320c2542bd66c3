import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { makeUnsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { consoleSteps, newVisitors } from '../support/console-steps.ts'
import { unknownReg } from '../support/fill.ts'
import { flood } from '../support/flood.ts'
import { type ApiResponse, type Body, freshIp, ownStack } from '../support/harness.ts'
import { rightfulCaller } from '../support/rightful.ts'
import { isPublicRead, stepsOf } from '../support/step-table.ts'
import { countSteps, fewestSteps, HOLDS_MS } from '../support/steps.ts'
import { settingsOf } from '../support/worker-settings.ts'

const FLOOD = 500

const own = await ownStack()
afterAll(own.stop)
const document = await own.openApi()
await warmUp()

/** Loads the limiter's scripts, the provider's metadata and the database's connections. */
async function warmUp(): Promise<void> {
  const { key, reg } = await own.newReporter()
  await own.report(key, reg)
  await own.api('GET', `/agents/${reg}`)
}

async function prepareCallback(): Promise<() => Promise<ApiResponse>> {
  const { path, cookie } = await own.walkToCallback()
  return () => own.api('GET', path, { headers: { Cookie: cookie } })
}

// Must run first, because work left by other tests would be counted here.
describe('a flood of made-up credentials', () => {
  it('causes no statement, and few Redis commands', async () => {
    const { operator, key } = await own.newReporter()
    const good = [operator.token, key]
    const rejected = (statuses: Record<number, number>) => (statuses[401] ?? 0) + (statuses[429] ?? 0)
    const many = await flood(own, { count: FLOOD, good })
    expect(many).toMatchObject({ statements: 0, statuses: { 401: FLOOD } })
    expect(many.counts).toBeLessThan(0.01 * FLOOD) // earlier uses of the valid key may be recorded meanwhile
    const one = await flood(own, { count: FLOOD, good, ip: freshIp() })
    expect(one.statements).toBe(0)
    expect(rejected(one.statuses)).toBe(FLOOD)
    expect(one.counts).toBeLessThan(0.2 * FLOOD)
  })
})

it('a revoked key that is sent again causes no statement, and is rejected as before', async () => {
  const operator = await own.newOperator()
  const { id, key } = await own.newKey(operator)
  await own.api('DELETE', `/operators/me/api-keys/${id}`, { token: operator.token })
  const start = Date.now()
  const send = (ms: number) => {
    const now = new Date(start + ms)
    return own.api('GET', '/operators/me/dashboard', { token: key, ip: freshIp(), now })
  }
  const first = await send(0)
  const began = performance.now()
  for (let n = 0; n < 20; n++) expect(await send(1_500)).toMatchObject({ status: 401, body: first.body })
  const statements = recordedCalls().filter((call) => call.began >= began && call.service === 'postgres')
  expect(statements).toEqual([])
})

describe.each(document.routes)('$name', (route) => {
  it('stays within its budget of network steps', async () => {
    const budget = stepsOf(route)
    const prepare = async () => {
      if (route.path === '/auth/callback') return prepareCallback()
      const caller = await rightfulCaller(own, document, route)
      await caller.ready()
      return () => caller.call(caller.path, caller.sample && { body: caller.sample })
    }
    expect(await fewestSteps(budget, prepare)).toBe(budget)
  })

  if (isPublicRead(route)) {
    it('takes one step less without a credential', async () => {
      const budget = stepsOf(route) - 1
      const prepare = async () => {
        const { path } = await rightfulCaller(own, document, route)
        return () => own.api(route.method, path)
      }
      expect(await fewestSteps(budget, prepare)).toBe(budget)
    })
  }
})

it('the published token keys take no network step', async () => {
  const prepare = async () => () => own.api('GET', '//.well-known/jwks.json')
  expect(await fewestSteps(0, prepare)).toBe(0)
})

it.each([
  ['GET', 0],
  ['POST', 1],
] as const)('the unsubscribe link of an email stays within its budget: %s', async (method, budget) => {
  const prepare = async () => {
    const { id } = await own.newOperator()
    const key = settingsOf(own.dir).IDENTITY_KEY ?? ''
    const token = await makeUnsubscribeToken(key, { operator_id: id, type: 'trust_alert' })
    return () => own.api(method, `//unsubscribe/${token}`)
  }
  expect(await fewestSteps(budget, prepare)).toBe(budget)
})

it.each(['', '/log', '/badge.svg', '/badge.json'])('a page of an agent takes one step: %s', async (below) => {
  const { key, reg } = await own.newReporter()
  await own.report(key, reg)
  const prepare = async () => () => own.api('GET', `//agents/${reg}${below}`)
  expect(await fewestSteps(1, prepare)).toBe(1)
})

it.each(['/', '/agents', '/agents?q=agents.example.com', '/operators/{id}', '/platforms/{slug}', '/status'])(
  'a public page takes one step: %s',
  async (path) => {
    const operator = await own.newOperator()
    const { slug } = await own.newPlatform(operator)
    const requested = path.replace('{id}', operator.id).replace('{slug}', slug)
    let days = 0 // /status is cached for five seconds
    const prepare = async () => () =>
      own.api('GET', `/${requested}`, { now: new Date(Date.now() + ++days * DAY_MS) })
    expect(await fewestSteps(1, prepare)).toBe(1)
  },
)

describe('the transparency log', () => {
  beforeAll(() => own.cron()) // signs a head

  it.each(['checkpoint', 'info.json', 'tile/0/000.p/1', 'tile/entries/000.p/1', 'proof/0'])(
    'is read in one step: %s',
    async (path) => {
      const prepare = async () => async () => {
        const response = await own.api('GET', `//log/${path}`)
        expect(response.status).toBe(200)
        return response
      }
      expect(await fewestSteps(1, prepare)).toBe(1)
    },
  )
})

describe('a call that is rejected without a query', () => {
  it.each([
    ['an unknown route', 'GET', '/no/such/route', undefined],
    ['another method', 'PUT', '/agents', undefined],
    ['no credential', 'GET', '/operators/me', undefined],
    ['an unrecognized token', 'GET', '/operators/me', 'hello'],
    ['a key with a wrong check', 'POST', '/activity/report', `reg_live_${'a'.repeat(48)}`],
    ['a session with a wrong check', 'GET', '/operators/me', `reg_sess_${'a'.repeat(59)}`],
    ['a malformed agent number', 'GET', '/agents/REG-1', undefined],
    ['a check character that does not match', 'GET', '/agents/REG-2026-0001-0042-A', undefined],
  ])('takes no step: %s', async (_, method, path, token) => {
    const { steps, response } = await countSteps(() => own.api(method, path, { ...(token && { token }) }))
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(steps).toBe(0)
  })

  it('takes no step once its address is known to be over the limit', async () => {
    const ip = freshIp()
    const call = () => own.api('GET', '/agents/REG-1999-0001-0042-4', { ip })
    const once = async () => {
      let status = 0
      for (let n = 0; n < 400 && status !== 429; n++) status = (await call()).status
      const { steps, response } = await countSteps(call)
      return { steps, status: response.status }
    }
    let found = await once()
    if (found.status !== 429) found = await once() // in case the minute ended during the calls
    expect(found).toEqual({ steps: 0, status: 429 })
  })
})

describe('reports that the database rejects', () => {
  /** Agent numbers by the status of a report about them: accepted, another operator's, unknown, and deactivated. */
  async function newTargets() {
    const { operator, reg, key } = await own.newReporter()
    const [foreign, ended] = await Promise.all([own.newReporter(), own.newAgent(operator)])
    await own.api('PATCH', `/agents/${ended.reg}`, { token: operator.token, body: { status: 'deactivated' } })
    const regs = { 201: reg, 403: foreign.reg, 404: unknownReg(), 410: ended.reg as string }
    return {
      key,
      targets: Object.entries(regs).map(([status, target]) => ({ status: Number(status), target })),
    }
  }
  it.each([false, true])(
    'return their errors within two steps (Idempotency-Key: %s)',
    async (isRepeatable) => {
      const { key, targets } = await newTargets()
      const event = { event_type: 'incident', severity: 'critical' }
      const post = async (path: string, name: string, body: object) => {
        const headers: Record<string, string> = isRepeatable ? { 'Idempotency-Key': name } : {}
        const send = () => own.api('POST', path, { token: key, body, headers })
        let counted = await countSteps(send)
        if (counted.steps > 2) counted = await countSteps(send, HOLDS_MS[2])
        expect(counted.steps).toBe(2)
        return counted.response
      }
      for (const { status, target } of targets) {
        const response = await post('/activity/report', `single ${status}`, { reg: target, ...event })
        expect(response.status).toBe(status)
      }
      const events = targets.map(({ target }) => ({ reg: target, ...event }))
      for (const _ of [1, 2]) {
        const response = await post('/activity/report/batch', 'batch', { events })
        expect(response.status).toBe(207)
        expect(response.body.data.map((result: Body) => result.status)).toEqual([201, 403, 404, 410])
      }
    },
  )
})

it('/ready has null for pending deliveries and unscored agents if there are none', async () => {
  await own.cron()
  const { body } = await own.api('GET', '//ready')
  expect(body).toMatchObject({ oldest_pending_delivery_seconds: null, oldest_unscored_agent_seconds: null })
})

describe('the network steps in the console', () => {
  let next: Awaited<ReturnType<typeof newVisitors>>
  beforeAll(async () => {
    next = await newVisitors(own)
  })

  it.each(consoleSteps(own))('of %s: %i', async (_, budget, prepare) => {
    const one = next()
    expect(await fewestSteps(budget, () => prepare(one.operator, one.visitor))).toBe(budget)
  })
})
