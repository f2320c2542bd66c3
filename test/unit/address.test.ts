import { describe, expect, it } from 'vitest'
import { limitedAddress } from '../../src/http/address.ts'

describe('the address that a rate limit counts', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::3:4:5:6', '2001:db8:0:0::/64'],
    ['2001:db8:1::', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('for %s is %s', (ip, address) => expect(limitedAddress(ip)).toBe(address))

  it('separates /64 networks, since each may belong to another customer', () => {
    const [first, next] = ['2001:db8:1:2::1', '2001:db8:1:3::1'].map(limitedAddress)
    expect(first).not.toBe(next)
  })
})
