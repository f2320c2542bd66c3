import type { Ctx } from './context.ts'

const IPV6_GROUPS = 8
const PREFIX_GROUPS = 4 // a /64, the smallest block that one customer receives (RFC 6177)

/** The caller's IP address as seen by Cloudflare; headers that a client can set are ignored. */
export function clientIp(c: Ctx): string {
  return c.req.header('cf-connecting-ip') ?? 'unknown'
}

/**
 * The key under which the limiter counts an IP address: an IPv4 address itself, an IPv6 address by its /64.
 *
 * @param ip IPv4 or IPv6 in any notation
 */
export function limitedAddress(ip: string): string {
  const mapped = /^(?:::ffff:)(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped?.[1]) return mapped[1]
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.toLowerCase().split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const zeros =
    tail === undefined ? [] : Array(Math.max(0, IPV6_GROUPS - left.length - right.length)).fill('0')
  const groups = [...left, ...zeros, ...right].slice(0, PREFIX_GROUPS)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
