import { registeredAgents, signRequest, verifyRequest } from '@agentreg/verify'
import { exportJWK } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { type KeyPair, newAgentKey } from '../support/agent-keys.ts'
import { type Operator, ownStack } from '../support/harness.ts'
import { mailControl } from '../support/mail.ts'

const own = await ownStack() // its own stack, because its jobs run with dates ahead
afterAll(own.stop)
const mail = mailControl(own)

const after = (ms: number, from: Date) => new Date(from.getTime() + ms)
const remindersOf = ({ id }: Operator) =>
  own.sql(
    `select title, body, reg from notifications where operator_id = $1 and title like 'Key of %' order by created_at`,
    [id],
  )

it('an operator is told once, a week before a key expires, also with concurrent jobs', async () => {
  const now = new Date()
  const operator = await own.newOperator({ now })
  const { reg } = await own.newAgent(operator)
  const expires = after(30 * DAY_MS, now)
  const { kid } = await newAgentKey(own, operator, reg, { now, expires_at: expires.toISOString() })
  await newAgentKey(own, operator, reg, { now })
  await own.cron(after(23 * DAY_MS - HOUR_MS, now))
  expect(await remindersOf(operator)).toEqual([])
  const due = after(23 * DAY_MS + HOUR_MS, now)
  await Promise.all([own.cron(due), own.cron(due), own.cron(due)])
  await own.cron(after(29 * DAY_MS, now))
  const day = expires.toISOString().slice(0, 10)
  const body = `Requests signed with ${kid} are not from Scout after that. Register another key before then.`
  expect(await remindersOf(operator)).toEqual([{ title: `Key of Scout expires on ${day}`, body, reg }])
  await mail.settled(operator, due)
  const subjects = (await mail.received(operator)).map(({ subject }) => subject)
  expect(subjects).toContain(`Key of Scout expires on ${day}`)
})

it.each([
  ['that was revoked', 30, 'revoke'],
  ['of a deactivated agent', 30, 'deactivate'],
  ['that was registered for less than a week', 6, null],
])('no operator is told about a key %s', async (_, days, end) => {
  const now = new Date()
  const operator = await own.newOperator({ now })
  const { reg } = await own.newAgent(operator)
  const expires_at = after(days * DAY_MS, now).toISOString()
  const { kid } = await newAgentKey(own, operator, reg, { now, expires_at })
  const { token } = operator
  if (end === 'revoke') await own.api('DELETE', `/agents/${reg}/keys/${kid}`, { token })
  if (end === 'deactivate')
    await own.api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
  await own.cron(after((days - 1) * DAY_MS, now))
  expect((await remindersOf(operator)).filter(({ title }) => title.includes('expires'))).toEqual([])
})

describe('a receiver, by a clock that it shares with the registry', () => {
  const ORIGIN = 'https://shop.example'

  /** An agent, and why its requests are rejected some seconds after the start; null if they are not. */
  async function signing() {
    const start = new Date(`${new Date().toISOString().slice(0, 16)}:00Z`) // tokens are issued by the minute
    const at = (seconds: number) => after(seconds * 1000, start)
    let now = start
    const fetchThen = (url: string, init: RequestInit) =>
      fetch(url, { ...init, headers: { 'X-Test-Now': now.toISOString() } })
    const open = () => registeredAgents(own.base_url, { fetch: fetchThen })
    const operator = await own.newOperator({ now: start })
    const { reg } = await own.newAgent(operator, {}, start)
    const setUrl = `${own.base_url}/agents/${reg}/jwks.json`
    const reasonAt = async (seconds: number, { privateKey }: KeyPair, options = {}) => {
      now = at(seconds)
      const { x = '', d = '' } = await exportJWK(privateKey)
      const key = { kty: 'OKP', crv: 'Ed25519', x, d } as const
      const headers = await signRequest({ url: ORIGIN }, { key, signatureAgent: setUrl, now, ...options })
      const request = new Request(ORIGIN, { headers })
      return (await verifyRequest(request, { agents: shared, origin: ORIGIN, now, ...options })).reason
    }
    const idsAt = async (seconds: number) => {
      now = at(seconds)
      const response = await fetchThen(setUrl, {})
      expect(response.headers.get('cache-control')).toBe('public, max-age=300')
      const { keys } = (await response.json()) as { keys: { kid: string }[] }
      return keys.map(({ kid }) => kid)
    }
    const shared = open()
    const { token } = operator
    const revokeAt = (seconds: number, kid: string) =>
      own.api('DELETE', `/agents/${reg}/keys/${kid}`, { token, now: at(seconds) })
    return { at, open, operator, reg, reasonAt, idsAt, revokeAt }
  }

  it('accepts both keys while they overlap, and the old one until its end', async () => {
    const { at, operator, reg, reasonAt, idsAt } = await signing()
    const old = await newAgentKey(own, operator, reg, { now: at(0), expires_at: at(600).toISOString() })
    expect(await reasonAt(1, old.pair)).toBeNull()
    const next = await newAgentKey(own, operator, reg, { now: at(300) })
    expect([await reasonAt(590, old.pair), await reasonAt(590, next.pair)]).toEqual([null, null])
    expect([await idsAt(599), await idsAt(600)]).toEqual([[old.kid, next.kid], [next.kid]])
    // The registry's statement about a key ends with it, give or take 60 seconds between two clocks.
    expect([await reasonAt(659, old.pair), await reasonAt(661, old.pair)]).toEqual([null, 'unknown_key'])
    expect(await reasonAt(610, old.pair, { fresh: true })).toBe('unknown_key')
    expect(await reasonAt(661, next.pair)).toBeNull()
  })

  it('rejects a revoked key after 5 minutes, 10 seconds with `fresh`, and 16 minutes with a token', async () => {
    const { at, open, operator, reg, reasonAt, idsAt, revokeAt } = await signing()
    const { kid, pair } = await newAgentKey(own, operator, reg, { now: at(0) })
    const { token } = (await own.api('GET', `/agent-keys/${kid}/token`, { now: at(0) })).body
    const [quick, other] = [
      { fresh: true, agents: open() },
      { token, agents: open() },
    ]
    for (const options of [{}, quick, other]) expect(await reasonAt(0, pair, options)).toBeNull()
    await revokeAt(1, kid)
    expect(await idsAt(1)).toEqual([])
    expect([await reasonAt(9, pair, quick), await reasonAt(10, pair, quick)]).toEqual([null, 'unknown_key'])
    expect([await reasonAt(299, pair), await reasonAt(300, pair)]).toEqual([null, 'unknown_key'])
    expect([await reasonAt(959, pair, other), await reasonAt(961, pair, other)]).toEqual([
      null,
      'unknown_key',
    ])
  })

  it('rejects an agent while its operator is suspended', async () => {
    const { at, operator, reg, reasonAt, idsAt } = await signing()
    const { kid, pair } = await newAgentKey(own, operator, reg, { now: at(0) })
    expect(await reasonAt(0, pair)).toBeNull()
    await own.suspend(operator)
    expect([await idsAt(0), await reasonAt(300, pair)]).toEqual([[], 'inactive'])
    await own.sql(`update operators set status = 'active' where id = $1`, [operator.id])
    expect([await idsAt(300), await reasonAt(600, pair)]).toEqual([[kid], null])
  })
})
