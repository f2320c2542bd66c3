import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConsoleVisitor, openConsole } from '../support/console.ts'
import { freshEmail, freshSlug, ownStack } from '../support/harness.ts'
import { countSteps, HOLDS_MS } from '../support/steps.ts'

/** Network steps: one reads the session and counts the request, the other is the page's batch or the action's statement. */
const BUDGET = 2

const own = await ownStack()
afterAll(own.stop)

const email = freshEmail()
const operator = await own.newOperator({ email, tier: 'pro' })
const visitor = await openConsole(own, email)
beforeAll(() => visitor.get('/console')) // loads the limiter's scripts and the database's connections

const newAgent = async () => `/console/agents/${(await own.newAgent(operator)).reg}`
const newKey = async () => `/console/keys/${(await own.newKey(operator)).id}`

/** The fewest steps of some tries: a machine under load can tear apart what runs side by side, never join a chain. */
async function fewestSteps(budget: number, prepare: () => Promise<() => ReturnType<ConsoleVisitor['get']>>) {
  let fewest = Number.POSITIVE_INFINITY
  for (const holdMs of HOLDS_MS) {
    const { steps, answer } = await countSteps(await prepare(), holdMs)
    expect(answer.status, answer.text).toBeLessThan(400)
    fewest = Math.min(fewest, steps)
    if (fewest <= budget) break
  }
  return fewest
}

describe('a page of the console takes its steps', () => {
  it.each([
    ['the overview', BUDGET, async () => '/console'],
    ['agents', BUDGET, async () => '/console/agents'],
    ['a new agent', BUDGET, async () => '/console/agents/new'],
    ['an agent', BUDGET, newAgent],
    ['the end of an agent', BUDGET, async () => `${await newAgent()}/deactivate`],
    ['keys', BUDGET, async () => '/console/keys'],
    ['a new key', 1, async () => '/console/keys/new'],
    ['a key', BUDGET, newKey],
    ['the end of a key', BUDGET, async () => `${await newKey()}/revoke`],
    ['the account', BUDGET, async () => '/console/account'],
    ['a sign-in', 1, async () => '/console/sign-in'],
  ])('%s: %i', async (_, budget, path) => {
    const prepare = async () => {
      const at = await path()
      return () => visitor.get(at)
    }
    expect(await fewestSteps(budget, prepare)).toBe(budget)
  })
})

interface Form {
  page: string
  action?: string
  fields?: Record<string, string>
}

async function withIncident(): Promise<Form> {
  const { reg } = await own.newAgent(operator)
  const { key } = await own.newKey(operator)
  await own.report(key, reg, { event_type: 'incident', severity: 'error' })
  const { body } = await own.api('GET', `/agents/${reg}/incidents`)
  const { incident_id: id } = body.data[0]
  const page = `/console/agents/${reg}`
  return { page, action: `${page}/incidents/${id}`, fields: { [`resolution-${id}`]: 'Mended' } }
}

async function withChallenge(part: string): Promise<Form> {
  const page = await newAgent()
  await visitor.send(page, `${page}/domain`, { domain: `${freshSlug()}.example.com`, method: 'dns' })
  return { page, action: `${page}/domain/${part}` }
}

async function withSession(): Promise<Form> {
  const { token } = await own.newOperator({ email })
  return { page: '/console/account', action: `/console/account/sessions/${token.slice(9, 17)}/end` }
}

const ofAgent = (part: string, fields: Record<string, string>) => async (): Promise<Form> => {
  const page = await newAgent()
  return { page, action: page + part, fields }
}

describe('an action of the console takes its steps', () => {
  it.each<[string, number, () => Promise<Form>]>([
    [
      'register an agent',
      BUDGET,
      async () => ({ page: '/console/agents/new', fields: { name: 'A', class: 'A' } }),
    ],
    ['change an agent', BUDGET, ofAgent('', { name: 'B' })],
    ['leave a platform', BUDGET, ofAgent('/platform', { platform_slug: '' })],
    ['ask for a proof', BUDGET, ofAgent('/domain', { domain: 'agents.example.com', method: 'dns' })],
    ['look for a proof', 3, () => withChallenge('check')], // the middle one is the look at the domain
    ['cancel a proof', BUDGET, () => withChallenge('cancel')],
    ['resolve an incident', BUDGET, withIncident],
    [
      'make a key',
      BUDGET,
      async () => ({ page: '/console/keys/new', fields: { name: 'k', permissions: 'read' } }),
    ],
    ['change the profile', BUDGET, async () => ({ page: '/console/account', fields: { name: 'Acme' } })],
    ['end a session', BUDGET, withSession],
    [
      'make a token',
      BUDGET,
      async () => ({
        page: '/console/account',
        action: '/console/account/tokens',
        fields: { token_name: 't' },
      }),
    ],
  ])('%s: %i', async (_, budget, formOf) => {
    const prepare = async () => {
      const { page, action = page, fields = {} } = await formOf()
      const hidden = await visitor.fieldsOf(page, action)
      return () => visitor.post(action, { ...hidden, ...fields })
    }
    expect(await fewestSteps(budget, prepare)).toBe(budget)
  })
})
