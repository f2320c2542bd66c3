import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { MAIL_OPT_OUTS } from '../../src/db/enums.ts'
import { makeUnsubscribeToken, readUnsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { keyOf } from '../support/settings.ts'

const KEY = keyOf(9)
const SUBSCRIPTION = { operator_id: '01a20340-2649-70f7-9d25-476785a4cfdd', type: 'trust_alert' } as const

it.each(MAIL_OPT_OUTS)('contains the operator and the notification type: %s', async (type) => {
  const token = await makeUnsubscribeToken(KEY, { ...SUBSCRIPTION, type })
  expect(token).toMatch(/^[\w.-]+$/)
  expect(await readUnsubscribeToken(KEY, token)).toEqual({ ...SUBSCRIPTION, type })
})

it('is an HMAC under a key derived for this purpose', async () => {
  const own = createHmac('sha256', Buffer.from(KEY, 'base64')).update('unsubscribe').digest()
  const text = `${SUBSCRIPTION.operator_id}.${SUBSCRIPTION.type}`
  const mac = createHmac('sha256', own).update(text).digest('hex').slice(0, 32)
  expect(await makeUnsubscribeToken(KEY, SUBSCRIPTION)).toBe(`${text}.${mac}`)
})

it('is rejected with any character changed, under another key, or malformed', async () => {
  const token = await makeUnsubscribeToken(KEY, SUBSCRIPTION)
  for (let n = 0; n < token.length; n++) {
    const other = token[n] === 'a' ? 'b' : 'a'
    expect(await readUnsubscribeToken(KEY, token.slice(0, n) + other + token.slice(n + 1))).toBeNull()
  }
  expect(await readUnsubscribeToken(keyOf(8), token)).toBeNull()
  const others = ['', 'x', token.toUpperCase(), `${token} `, ` ${token}`, `${token}0`, token.slice(0, -1)]
  for (const text of others) expect(await readUnsubscribeToken(KEY, text), text).toBeNull()
  expect(await readUnsubscribeToken(KEY, token.replace('trust_alert', 'incident_alert'))).toBeNull()
  for (const type of ['constructor', 'agent_key'])
    expect(await readUnsubscribeToken(KEY, token.replace('trust_alert', type))).toBeNull()
})
