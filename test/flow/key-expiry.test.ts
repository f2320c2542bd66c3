import { afterAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { newAgentKey } from '../support/agent-keys.ts'
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
