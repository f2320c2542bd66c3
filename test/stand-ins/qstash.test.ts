import { type Client, SignatureError } from '@upstash/qstash'
import { describe, expect, it, vi } from 'vitest'
import { SOON } from '../support/patience.ts'
import { arrived, destination, NOON, start, startVirtual, verify } from './qstash.ts'

describe('publishing', () => {
  it('delivers the exact bytes, signed for this body, key, and URL', async () => {
    const stack = await start()
    const place = await destination()
    const body = { text: 'späte Grüße \u2028 "1"', list: [1.5, null] }
    const { messageId } = await stack.client.publishJSON({ url: place.url, body })
    await arrived(place)
    const [request] = place.received
    expect(request?.body.toString()).toBe(JSON.stringify(body))
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'upstash-message-id': messageId,
      'upstash-retried': '0',
      'user-agent': 'Upstash-QStash',
    })
    expect(request?.headers).not.toHaveProperty('x-test-now')
    expect(await verify(request, place.url, stack)).toBe(true)
    await expect(verify(request, `${place.url}/`, stack)).rejects.toThrow(SignatureError)
    const changed = request && { ...request, body: Buffer.from('{}') }
    await expect(verify(changed, place.url, stack)).rejects.toThrow(SignatureError)
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
    expect(await again.control.messages()).toEqual([])
    expect(await publish(again.client)).toEqual({ ...first, deduplicated: true })
    expect(await again.control.runUntilIdle()).toMatchObject({ delivered: 0 })
    expect(place.received).toHaveLength(1)
  })

  it('accepts or rejects a batch as a whole, with options for each item', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const responses = await stack.client.batchJSON([
      { url: place.url, body: { n: 1 }, notBefore: NOON / 1000 + 60, label: 'late' },
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

describe('flow control', () => {
  it('keeps at most the given number of messages of a key in flight', async () => {
    const stack = await start()
    const held: (() => void)[] = []
    const place = await destination(async ({ body }) => {
      if (body.toString() !== '"free"') await new Promise<void>((resolve) => held.push(resolve))
      return { status: 200 }
    })
    const flowControl = { key: 'plt_1', parallelism: 2 }
    for (const n of [1, 2, 3, 4, 5]) await stack.client.publishJSON({ url: place.url, body: n, flowControl })
    await stack.client.publishJSON({ url: place.url, body: 'free' })
    for (const expected of [3, 4, 5, 6]) {
      await arrived(place, expected)
      const inFlight = async () => (await stack.control.messages()).filter((message) => message.inFlight)
      await vi.waitFor(async () => expect(await inFlight()).toHaveLength(2), SOON) // a response is processed a moment later
      expect(place.received).toHaveLength(expected)
      held.shift()?.()
    }
    held.shift()?.()
    await vi.waitFor(async () => expect(await stack.control.messages()).toEqual([]), SOON)
  })

  it('starts at most the given number of messages of a key in a period', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const flowControl = { key: 'plt_1', rate: 2, period: 60 }
    for (const n of [1, 2, 3, 4, 5]) await stack.client.publishJSON({ url: place.url, body: n, flowControl })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 0, 60, 60, 120])
  })
})

describe('persistence', () => {
  it('keeps pending messages over a restart, and repeats a delivery in flight', async () => {
    const stack = await start()
    let stuck = true
    const place = await destination(() => (stuck ? new Promise(() => undefined) : { status: 200 }))
    const { messageId } = await stack.client.publishJSON({ url: place.url, body: 'in flight' })
    const notBefore = Math.ceil(Date.now() / 1000) + 3_600
    const later = await stack.client.publishJSON({ url: place.url, body: 'later', notBefore })
    await arrived(place)
    await stack.stop()
    stuck = false
    const again = await start({ dir: stack.dir })
    await arrived(place, 2)
    expect(place.received.map(({ headers }) => headers['upstash-message-id'])).toEqual([messageId, messageId])
    const kept = (await again.control.messages()).find((one) => one.messageId === later.messageId)
    expect(kept?.notBefore).toBeCloseTo(1000 * notBefore, -3)
  })
})
