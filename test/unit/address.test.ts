import { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import { clientIp, limitedAddress } from '../../src/http/address.ts'

describe('the address that a rate limit counts', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::3:4:5:6', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('for %s is %s', (ip, address) => expect(limitedAddress(ip)).toBe(address))

  it('is the same for all requests without one', () =>
    expect(clientIp(new Context(new Request('https://registry.example/')))).toBe('unknown'))
})
