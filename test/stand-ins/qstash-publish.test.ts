import { type Client, SignatureError } from '@upstash/qstash'
import { describe, expect, it } from 'vitest'
import { arrived, destination, keysOf, start, startVirtual, verify } from './qstash.ts'

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
})
