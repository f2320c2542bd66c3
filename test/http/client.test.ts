import { createClient, RegistryError, storedNothing, unwrap } from '@agentreg/client'
import { expect, it } from 'vitest'
import { freshIp, shared } from '../support/harness.ts'

const h = shared()

it('the typed client returns an error, with the result of each event, if no event of a batch is stored', async () => {
  const { reg, key } = await h.newReporter()
  const headers = { 'CF-Connecting-IP': freshIp() } // shares no rate limit with other tests
  const reporter = createClient({ baseUrl: h.base_url, headers, token: key })
  const event = { reg, event_type: 'task_completed' }
  const unknown = { ...event, reg: 'REG-1999-0001-0042-4' }
  const send = (...events: (typeof event)[]) => reporter.POST('/activity/report/batch', { body: { events } })
  const partly = await send(event, unknown)
  expect(partly).toMatchObject({ data: { accepted: 1, rejected: 1 } })
  expect(partly.error).toBeUndefined()
  const { data, error, response } = await send(unknown, unknown)
  expect([data, response.status]).toEqual([undefined, 207])
  expect(storedNothing(error) && error.data).toMatchObject([{ status: 404 }, { status: 404 }])
  expect(error?.error).toEqual({
    code: 'NOT_FOUND',
    message: 'none of 2 events was stored; the first: there is no agent REG-1999-0001-0042-4',
    status: 404,
  })
  const thrown = await unwrap(send(unknown)).catch((reason: unknown) => reason)
  expect(thrown).toBeInstanceOf(RegistryError)
  expect(thrown).toMatchObject({ code: 'NOT_FOUND', status: 207 })
})
