import { Client, SignatureError } from '@upstash/qstash'
import { describe, expect, it } from 'vitest'
import { arrived, destination, keysOf, NOON, start, startVirtual, verify } from './qstash.ts'

describe('publishing', () => {
  it('delivers the exact bytes, signed for this body, key, and URL', async () => {
    const stack = await start()
    const place = await destination()
    const body = { text: 'späte Grüße \u2028 "1"', list: [1.5, null] }
    const { messageId } = await stack.client.publishJSON({ url: place.url, body })
    await arrived(place)
    const [request] = place.received
    const keys = keysOf(stack)
    expect(request?.body.toString()).toBe(JSON.stringify(body))
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'upstash-message-id': messageId,
      'upstash-retried': '0',
      'user-agent': 'Upstash-QStash',
    })
    expect(request?.headers).not.toHaveProperty('x-test-now')
    expect(await verify(request, place.url, keys)).toBe(true)
    await expect(verify(request, `${place.url}/`, keys)).rejects.toThrow(SignatureError)
    await expect(verify(request, place.url, { current: 'a', next: 'b' })).rejects.toThrow(SignatureError)
    const changed = request && { ...request, body: Buffer.from('{}') }
    await expect(verify(changed, place.url, keys)).rejects.toThrow(SignatureError)
  })

  it('keeps binary bodies, the query, the method, and only forwarded headers', async () => {
    const stack = await start()
    const place = await destination()
    const url = `${place.url}?a=b%2Fc&d=http://x/`
    const response = await fetch(`${stack.url}/v2/publish/${url}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${stack.token}`,
        'Upstash-Method': 'PUT',
        'Upstash-Forward-X-Trace': 'abc',
        'X-Own': 'stays here',
      },
      body: new Uint8Array([0, 255, 10, 128]),
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ url })
    await arrived(place)
    const [request] = place.received
    expect(request).toMatchObject({ method: 'PUT', path: '/internal/qstash/deliver?a=b%2Fc&d=http://x/' })
    expect(request?.headers).toMatchObject({ 'x-trace': 'abc' })
    expect(request?.headers).not.toHaveProperty('x-own')
    expect([...(request?.body ?? [])]).toEqual([0, 255, 10, 128])
  })

  it('rejects a wrong token, a destination without scheme, and a malformed option', async () => {
    const stack = await start()
    const stranger = new Client({ baseUrl: stack.url, token: 'wrong', retry: false, devMode: false })
    await expect(stranger.publish({ url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({ status: 401 })
    await expect(stack.client.publish({ url: '127.0.0.1/x' })).rejects.toMatchObject({ status: 400 })
    for (const invalid of [{ label: 'a:b' }, { flowControl: { key: 'a:b', parallelism: 1 } }]) {
      await expect(stack.client.publish({ url: 'http://127.0.0.1:1', ...invalid })).rejects.toMatchObject({
        status: 400,
      })
    }
    const headers = { 'Upstash-Delay': 'soon' }
    await expect(stack.client.publish({ url: 'http://127.0.0.1:1/', headers })).rejects.toMatchObject({
      status: 400,
    })
    expect(stack.control.messages()).toEqual([])
  })

  it('returns the first message for a repeated deduplication id, also after a restart', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const publish = (client: Client) =>
      client.publishJSON({ url: place.url, deduplicationId: 'd:1:p1', body: 1 })
    const first = await publish(stack.client)
    expect(first).not.toHaveProperty('deduplicated')
    expect(await publish(stack.client)).toEqual({ ...first, deduplicated: true })
    await stack.control.runUntilIdle()
    await stack.stop()
    const again = await startVirtual({ dir: stack.dir })
    expect(again.control.messages()).toEqual([])
    expect(await publish(again.client)).toEqual({ ...first, deduplicated: true })
    expect(await again.control.runUntilIdle()).toMatchObject({ delivered: 0 })
    expect(place.received).toHaveLength(1)
  })

  it('accepts or rejects a batch as a whole, with options for each item', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const responses = await stack.client.batchJSON([
      { url: place.url, body: { n: 1 }, delay: 60, label: 'late' },
      { url: place.url, body: { n: 2 }, deduplicationId: 'x' },
      { url: place.url, body: { n: 3 }, deduplicationId: 'x' },
    ])
    expect(responses.map((reply) => 'deduplicated' in reply)).toEqual([false, false, true])
    const bad = [
      { url: place.url, body: 4 },
      { url: 'nowhere', body: 5 },
    ]
    await expect(stack.client.batchJSON(bad)).rejects.toMatchObject({ status: 400 })
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 2 })
    expect(place.received.map(({ body }) => body.toString())).toEqual(['{"n":2}', '{"n":1}'])
    expect(place.seconds()).toEqual([0, 60])
  })

  it('shows and cancels a pending message', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const { messageId } = await stack.client.publishJSON({
      url: place.url,
      body: { a: 1 },
      delay: '2h',
      label: 'agent.registered',
      retries: 1,
      flowControl: { key: 'plt_1', parallelism: 5 },
    })
    expect(await stack.client.messages.get(messageId)).toMatchObject({
      messageId,
      url: place.url,
      body: '{"a":1}',
      label: 'agent.registered',
      maxRetries: 1,
      flowControlKey: 'plt_1',
      parallelism: 5,
      createdAt: NOON,
      notBefore: NOON + 7_200_000,
    })
    const listed = await (await fetch(`${stack.url}/-/messages`)).json()
    expect(listed).toMatchObject([
      { messageId, due: '2031-05-01T14:00:00.000Z', retried: 0, inFlight: false },
    ])
    expect(await stack.client.messages.cancel(messageId)).toEqual({ cancelled: 1 })
    await expect(stack.client.messages.get(messageId)).rejects.toMatchObject({ status: 404 })
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 0 })
  })

  it('does not retry a message that is canceled in flight', async () => {
    const stack = await startVirtual()
    const place = await destination(async ({ headers }) => {
      await stack.client.messages.cancel(String(headers['upstash-message-id']))
      return { status: 500 }
    })
    await stack.client.publishJSON({ url: place.url, body: 1, retries: 0 })
    await stack.control.runUntilIdle()
    expect(place.received).toHaveLength(1)
    expect((await stack.client.dlq.listMessages()).messages).toEqual([])
  })
})
