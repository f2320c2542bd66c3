import { expect, it } from 'vitest'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { startReceiver } from '../support/receiver.ts'

it('the receiver of the tests checks every event against its schema', async () => {
  const [{ example } = { example: {} }] = describeEventTypes()
  const post = (url: string, body: object) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const receiver = await startReceiver()
  await post(receiver.url, example)
  expect(receiver.received).toHaveLength(1)
  const second = receiver.arrival(2)
  const failing = expect(second).rejects.toThrow(/break their schemas.*surplus/s)
  await post(receiver.url, { ...example, surplus: 1 })
  await failing
  expect(() => receiver.received).toThrow(/break their schemas/)
  await expect(receiver.stop()).rejects.toThrow(/break their schemas/)
})
