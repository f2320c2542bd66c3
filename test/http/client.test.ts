import { createClient, RegistryError, storedNothing, unwrap } from '@agentreg/client'
import { describe, expect, it } from 'vitest'
import { freshEmail, freshIp, shared } from '../support/harness.ts'

const TASKS = 12

const h = shared()

/** A client with its own IP address, so that it shares no rate limit with other tests. */
const clientWith = (token?: string | (() => string)) =>
  createClient({ baseUrl: h.base_url, headers: { 'CF-Connecting-IP': freshIp() }, ...(token && { token }) })

describe('the typed client', () => {
  it('covers the way from a session token to a trust score', async () => {
    const { token } = await h.newOperator({ email: freshEmail() })
    const operator = clientWith(() => token)
    const { data: agent } = await operator.POST('/agents', { body: { name: 'Invoice Reader', class: 'A' } })
    const { data: key } = await operator.POST('/operators/me/api-keys', {
      body: { name: 'reporter', permissions: ['activity:report'] },
    })
    const reg = agent?.reg ?? ''
    const path = { params: { path: { reg } } }

    const early = await clientWith().GET('/agents/{reg}/trust-score', path)
    expect(early.data && 'status' in early.data && early.data.status).toBe('insufficient_data')

    const reporter = clientWith(key?.key ?? '')
    const event = { reg, event_type: 'task_completed', metadata: { response_ms: 900 } }
    const single = await reporter.POST('/activity/report', { body: event })
    expect(single.data?.reported_by).toBe('operator')
    const batch = await reporter.POST('/activity/report/batch', {
      body: { events: Array.from({ length: TASKS - 1 }, () => event) },
    })
    expect(batch.data?.accepted).toBe(TASKS - 1)

    const { data: score } = await clientWith().GET('/agents/{reg}/trust-score', path)
    expect(score && 'overall' in score && score.events_considered).toBe(TASKS)
  })

  it('returns an error, with the result of each event, if no event of a batch is stored', async () => {
    const { reg, key } = await h.newReporter()
    const reporter = clientWith(key)
    const event = { reg, event_type: 'task_completed' }
    const unknown = { ...event, reg: 'REG-1999-0001-0042-4' }
    const send = (...events: (typeof event)[]) =>
      reporter.POST('/activity/report/batch', { body: { events } })
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
})
