import { describe, expect, it } from 'vitest'
import { blocklist } from '../../src/http/blocklist.ts'
import type { RateLimit } from '../../src/http/limits.ts'

const until = (reset: number): RateLimit => ({ policy: 'public', limit: 120, used: 121, reset })

describe('an address that is over its limit', () => {
  it('is blocked until its reset, and no longer', () => {
    const blocked = blocklist(10)
    blocked.add('public:192.0.2.1', until(60_000))
    expect(blocked.find('public:192.0.2.1', 0)).toEqual(until(60_000))
    expect(blocked.find('public:192.0.2.1', 59_999)).toEqual(until(60_000))
    for (const later of [60_000, 60_001, 1e12])
      expect(blocked.find('public:192.0.2.1', later)).toBeUndefined()
    expect(blocked.find('public:192.0.2.2', 0)).toBeUndefined()
    expect(blocked.find('sign-in:192.0.2.1', 0)).toBeUndefined()
  })

  it('is blocked until the reset of the last limit that it exceeded', () => {
    const blocked = blocklist(10)
    blocked.add('a', until(60_000))
    blocked.add('a', until(120_000))
    expect(blocked.find('a', 60_000)).toEqual(until(120_000))
  })

  it('is dropped from the list, the one blocked longest ago first, when the list is full', () => {
    const blocked = blocklist(3)
    for (const key of ['a', 'b', 'a', 'c', 'd']) blocked.add(key, until(60_000))
    const isBlocked = ['a', 'b', 'c', 'd'].map((key) => blocked.find(key, 0) !== undefined)
    expect(isBlocked).toEqual([true, false, true, true])
  })
})
