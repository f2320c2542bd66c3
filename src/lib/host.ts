const IPV4_LITERAL = /^\d{1,3}(\.\d{1,3}){3}$/ // URL parsing has already turned octal, hex and decimal forms into this

// Names that no public host can have: RFC 6761, 6762, 7686, 8375, 9476; ICANN's .internal and what it never delegates
// (.home, .corp, .mail); and what routers and offices use at home.
const PRIVATE_SUFFIXES = [
  ...['.localhost', '.localdomain', '.local', '.internal', '.arpa', '.onion', '.alt', '.test', '.invalid'],
  ...['.home', '.corp', '.mail', '.lan', '.intranet', '.private'],
]

/**
 * Why a host is none of the public ones that we may call; null when it is one.
 *
 * @param hostname as `URL` gives it: lower case, punycode
 * @param ownHostname that of this service, which must not call itself
 */
export function hostProblem(hostname: string, ownHostname: string): string | null {
  if (hostname.startsWith('[') || IPV4_LITERAL.test(hostname)) return 'must name a host, not an IP address'
  if (hostname.endsWith('.')) return 'must not end its host name with a dot'
  if (!hostname.includes('.') || PRIVATE_SUFFIXES.some((suffix) => hostname.endsWith(suffix))) {
    return 'must name a public host'
  }
  if (hostname === ownHostname || hostname.endsWith(`.${ownHostname}`)) {
    return 'must not point to this service'
  }
  return null
}
