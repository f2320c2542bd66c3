import { describe, expect, it } from 'vitest'
import { destination, startVirtual, verify } from './qstash.ts'

describe('a failed delivery', () => {
  it('is tried four times by default, with the documented backoff, then given up', async () => {
    const stack = await startVirtual()
    const place = await destination(() => ({ status: 500 }))
    await stack.client.publishJSON({ url: place.url, body: { a: 1 } })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 12, 160, 1968])
    expect(place.received.map(({ headers }) => headers['upstash-retried'])).toEqual(['0', '1', '2', '3'])
    expect(await stack.control.messages()).toEqual([])
  })

  it('is retried after the seconds of Retry-After', async () => {
    const stack = await startVirtual()
    const place = await destination(() => ({ status: 503, headers: { 'Retry-After': '7' } }))
    await stack.client.publishJSON({ url: place.url, body: 1, retries: 1 })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 7])
  })

  it('calls the failure callback with the message, in a separate signed message', async () => {
    const stack = await startVirtual()
    const place = await destination(() => ({ status: 418 }))
    const callback = await destination()
    const failed = { url: place.url, body: { a: 1 }, retries: 1, failureCallback: callback.url }
    const { messageId } = await stack.client.publishJSON(failed)
    await stack.control.runUntilIdle()
    const [request] = callback.received
    expect(JSON.parse(String(request?.body))).toMatchObject({
      status: 418,
      retried: 1,
      maxRetries: 1,
      sourceMessageId: messageId,
      url: place.url,
      sourceBody: btoa('{"a":1}'),
    })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(request?.headers['upstash-message-id']).not.toBe(messageId)
    expect(await verify(request, callback.url, stack)).toBe(true)
  })

  it('is also one to a destination that is down, or exceeds the timeout', async () => {
    const stack = await startVirtual()
    const down = await destination()
    await down.stop()
    const hanging = await destination(() => new Promise(() => undefined))
    const callback = await destination()
    const message = { body: 1, retries: 0, failureCallback: callback.url }
    await stack.client.publishJSON({ ...message, url: down.url })
    await stack.client.publishJSON({ ...message, url: hanging.url, timeout: 2 })
    await stack.control.runUntilIdle()
    expect(callback.received.map(({ body }) => JSON.parse(String(body)).status)).toEqual([0, 0])
    expect(hanging.received).toHaveLength(1)
  })
})
