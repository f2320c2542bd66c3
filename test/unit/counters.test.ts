import { describe, expect, it, vi } from 'vitest'
import {
  addCall,
  type Counter,
  counters,
  giveUp,
  isDue,
  positionOf,
  recordTotal,
  send,
} from '../../src/http/counters.ts'
import { enforce } from '../../src/http/ratelimit.ts'

const WINDOW_MS = 60_000

function newCounter(limit?: number): Counter {
  const counter = counters(1).find('public:192.0.2.1', limit, 0)
  if (!counter) throw new Error('no counter')
  return counter
}

/** Makes calls one after the other, each batch added before the next call; returns the place of each call. */
function callInTurns(counter: Counter, calls: number) {
  return Array.from({ length: calls }, () => {
    const call = addCall(counter)
    if (isDue(counter)) {
      const batch = send(counter, 1)
      recordTotal(counter, batch, counter.synced + batch.size)
    }
    return call.used ?? positionOf(call)
  })
}

describe('the counter of a caller in an isolate', () => {
  it('sends each call to Redis when fewer than eight are left', () => {
    const counter = newCounter(120)
    expect(callInTurns(counter, 113)).toEqual(Array.from({ length: 113 }, (_, n) => n + 1))
    for (let n = 114; n <= 121; n++) {
      const call = addCall(counter)
      expect(call.used).toBeUndefined()
      recordTotal(counter, send(counter, 1), n)
      expect(positionOf(call)).toBe(n)
    }
  })

  it.each([undefined, 10, 63])('sends each call to Redis at a limit of %s', (limit) => {
    const counter = newCounter(limit)
    for (const place of [1, 2, 3]) {
      const call = addCall(counter)
      expect([call.used, isDue(counter)]).toEqual([undefined, true])
      recordTotal(counter, send(counter, 1), place)
      expect(positionOf(call)).toBe(place)
    }
  })

  it('passes an eighth of a limit of 64 before it sends calls to Redis', () => {
    const counter = newCounter(64)
    const used = Array.from({ length: 9 }, () => addCall(counter).used)
    expect(used).toEqual([1, 2, 3, 4, 5, 6, 7, 8, undefined])
  })

  it('passes at most an eighth of the limit while a batch is under way, then makes calls wait', () => {
    const counter = newCounter(640)
    for (let n = 0; n < 80; n++) addCall(counter)
    recordTotal(counter, send(counter, 1), 320)
    for (let n = 0; n < 40; n++) expect(addCall(counter).used).toBe(321 + n)
    const batch = send(counter, 1)
    const passed = Array.from({ length: 80 }, () => addCall(counter)).filter(({ used }) => used !== undefined)
    expect(passed.map(({ used }) => used)).toEqual(Array.from({ length: 35 }, (_, n) => 361 + n))
    expect(isDue(counter)).toBe(false) // one batch at a time
    recordTotal(counter, batch, 360)
    expect(isDue(counter)).toBe(true)
  })
})

describe('a failure of Redis', () => {
  it('leaves waiting calls without a place, and the isolate counts on by itself', () => {
    const counter = newCounter(120)
    for (let n = 0; n < 15; n++) addCall(counter)
    const first = send(counter, 1)
    const waiting = addCall(counter)
    expect([waiting.used, positionOf(waiting)]).toEqual([undefined, undefined])
    recordTotal(counter, first, null)
    recordTotal(counter, send(counter, 1), null)
    expect(positionOf(waiting)).toBeNull()
    expect(addCall(counter).used).toBe(17)
    recordTotal(counter, send(counter, 1), 1) // Redis is back, with its data lost
    expect(addCall(counter).used).toBe(2)
  })

  it('drops a batch whose request was cut off, and ignores its late response', () => {
    const counter = newCounter(120)
    for (let n = 0; n < 15; n++) addCall(counter)
    const cut = send(counter, 1_000)
    giveUp(counter, 999)
    expect(counter.sent).toBe(cut)
    giveUp(counter, 1_000)
    expect(counter.sent).toBeUndefined()
    recordTotal(counter, cut, 99)
    expect(addCall(counter).used).toBe(16)
  })
})

it.each([
  [1_001, '2'],
  [1_000, '1'],
  [-300, '1'],
])(
  'a call over its limit, %i ms before the end of the window, may be sent again after %s s',
  (rest, wait) => {
    vi.spyOn(Date, 'now').mockReturnValue(0)
    const limited = { policy: 'key', limit: 60, used: 61, reset: rest } as const
    expect(() => enforce(limited)).toThrow(expect.objectContaining({ headers: { 'Retry-After': wait } }))
    vi.restoreAllMocks()
  },
)

describe('a window', () => {
  it('ends with its minute and drops what was not sent', () => {
    const all = counters(10)
    const at = (now: number) => all.find('a', 120, now)
    const first = at(0)
    if (first) for (let n = 0; n < 10; n++) addCall(first)
    expect(at(WINDOW_MS - 1)).toBe(first)
    const next = at(WINDOW_MS)
    expect(next).toMatchObject({ synced: 0, reset: 2 * WINDOW_MS, open: { size: 0 } })
    expect(next && addCall(next).used).toBe(1)
  })

  it('passes the limit of a key on to the next window', () => {
    const all = counters(10)
    all.find('key:a', undefined, 0)
    all.setLimit('key:a', 600)
    all.setLimit('key:b', 600)
    expect(all.find('key:a', undefined, WINDOW_MS)?.limit).toBe(600)
    expect(all.find('key:b', undefined, WINDOW_MS)?.limit).toBeUndefined()
  })

  it('has counters for its maximum number of callers, and keeps those', () => {
    const all = counters(20_000)
    const found = (now: number) =>
      Array.from({ length: 100_000 }, (_, n) => all.find(`public:${n}`, 120, now)).filter(Boolean).length
    expect([found(0), found(0), found(WINDOW_MS)]).toEqual([20_000, 20_000, 20_000])
  })
})
