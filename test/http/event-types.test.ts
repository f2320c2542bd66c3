import { expect, it } from 'vitest'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { shared } from '../support/harness.ts'

it('GET /event-types lists every event type with a schema and an example', async () => {
  const { status, body } = await shared().api('GET', '/event-types')
  expect({ status, body }).toEqual({ status: 200, body: { data: describeEventTypes() } })
})
