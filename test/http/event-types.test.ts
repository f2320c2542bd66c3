import { expect, it } from 'vitest'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { shared } from '../support/harness.ts'

const { api } = shared()

const TYPES = [
  'agent.registered',
  'agent.updated',
  'agent.deactivated',
  'agent.ownership_verified',
  'trust.updated',
  'trust.threshold_crossed',
  'incident.created',
  'incident.resolved',
  'operator.kyc_verified',
]

it('lists the nine event types publicly, each with a schema and an example', async () => {
  const { status, body } = await api('GET', '/event-types')
  expect(status).toBe(200)
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual(TYPES)
  expect(body).toEqual({ data: describeEventTypes() })
})
