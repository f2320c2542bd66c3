import { describe, expect, it, vi } from 'vitest'
import { SOON } from '../support/patience.ts'
import { arrived, destination, NOON, start, startVirtual } from './qstash.ts'

describe('the clock', () => {
  it('delivers at the virtual due time, by delay and by date', async () => {
    const stack = await startVirtual()
    const place = await destination()
    await stack.client.publishJSON({ url: place.url, body: 1, delay: 9360 })
    await stack.client.publishJSON({ url: place.url, body: 2, notBefore: NOON / 1000 + 360, delay: 1 })
    expect(await stack.post('/-/clock/advance', { ms: 359_000 })).toMatchObject({ body: { delivered: 0 } })
    const advanced = await stack.control.advance(1000)
    expect(advanced.delivered).toBe(1)
    await stack.control.runUntilIdle()
    expect(place.received.map(({ body }) => body.toString())).toEqual(['2', '1'])
    expect(place.seconds()).toEqual([360, 9360])
  })

  it('runs until idle through messages that publish messages, up to a limit', async () => {
    const stack = await startVirtual()
    const delays = [60, 240, 1800, 7200]
    const place = await destination(async () => {
      const delay = delays.shift()
      if (delay !== undefined) await stack.client.publishJSON({ url: place.url, body: delay, delay })
      return { status: 200 }
    })
    await stack.client.publishJSON({ url: place.url, body: 0 })
    const first = await stack.post('/-/run-until-idle', { limitMs: 600_000 })
    expect(first).toMatchObject({ status: 200, body: { delivered: 3 } })
    expect(stack.control.messages()).toHaveLength(1)
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 2 })
    expect(place.seconds()).toEqual([0, 60, 300, 2100, 9300])
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
      const inFlight = () => stack.control.messages().filter((message) => message.inFlight)
      await vi.waitFor(() => expect(inFlight()).toHaveLength(2), SOON) // a response is processed a moment later
      expect(place.received).toHaveLength(expected)
      held.shift()?.()
    }
    held.shift()?.()
    await vi.waitFor(() => expect(stack.control.messages()).toEqual([]), SOON)
  })

  it('starts at most the given number of messages of a key in a period', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const flowControl = { key: 'plt_1', rate: 2, period: '1m' as const }
    for (const n of [1, 2, 3, 4, 5]) await stack.client.publishJSON({ url: place.url, body: n, flowControl })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 0, 60, 60, 120])
  })
})
