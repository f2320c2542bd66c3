const IPV4_LITERAL = /^\d{1,3}(\.\d{1,3}){3}$/ // URL parsing has already turned octal, hex and decimal forms into this

// Names that no public host can have: RFC 6761, 6762, 7686, 8375, 9476; ICANN's .internal and what it never delegates
// (.home, .corp, .mail); and what routers and offices use at home.
const PRIVATE_SUFFIXES = [
  ...['.localhost', '.localdomain', '.local', '.internal', '.arpa', '.onion', '.alt', '.test', '.invalid'],
  ...['.home', '.corp', '.mail', '.lan', '.intranet', '.private'],
]

/** Whether a host, as `URL` gives it, is the machine itself (RFC 1122, 4291 and 6761). */
export function isLoopback(hostname: string): boolean {
  return hostname === '[::1]' || /(^|\.)localhost$/.test(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/**
 * Why a host is none of the public ones that we may call; null when it is one.
 *
 * @param hostname as `URL` gives it: lower case, punycode
 * @param ownHostname that of this service, which must not call itself
 */
export function hostProblem(hostname: string, ownHostname: string): string | null {
  const problem = publicHostProblem(hostname)
  if (problem) return problem
  if (hostname === ownHostname || hostname.endsWith(`.${ownHostname}`)) {
    return 'must not point to this service'
  }
  return null
}

/**
 * Why a host is no public one; null when it is.
 *
 * @param hostname as `URL` gives it: lower case, punycode
 */
function publicHostProblem(hostname: string): string | null {
  if (hostname.startsWith('[') || IPV4_LITERAL.test(hostname))
    return 'must use a host name, not an IP address'
  if (hostname.endsWith('.')) return 'must not have a dot at the end of the host name'
  if (!hostname.includes('.') || PRIVATE_SUFFIXES.some((suffix) => hostname.endsWith(suffix))) {
    return 'must use a public host name'
  }
  return null
}

/** Whether a host is a domain or stands below it; both as `URL` gives host names. */
export function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`)
}

const NO_PART_OF_A_NAME = /[\s/:@?#%\\[\]]/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The longest name, RFC 1035, section 2.3.4: 255 octets on the wire. */
export const DOMAIN_MAX = 253

/** The host that a text names, as `URL` gives it: lower case, punycode; null when it is more than a name, or none. */
export function toHostname(text: string): string | null {
  const address = `https://${text}/`
  return NO_PART_OF_A_NAME.test(text) || !URL.canParse(address) ? null : new URL(address).hostname
}

/** Whether a host name is made of the labels that a domain may have. */
export function isDomainName(hostname: string): boolean {
  return hostname.length <= DOMAIN_MAX && hostname.split('.').every((label) => LABEL.test(label))
}

export const PLAIN_URL = 'must not contain spaces, invisible characters, or backslashes'
const ODD_IN_A_URL = /[\s\\\p{C}\p{Default_Ignorable_Code_Point}]/u

/** Whether a URL holds nothing that parsing drops or trims, or takes for something else, as a backslash for a slash. */
export function isPlainUrl(text: string): boolean {
  return !ODD_IN_A_URL.test(text)
}

// Never empty: parsing skips further slashes, and would find a user name behind them.
const HTTPS_AUTHORITY = /^https:\/\/([^/?#]+)/i

/**
 * Reads the https address of something that people may visit, on a public host; it is never fetched.
 *
 * @param text as it was given
 * @returns the address in ASCII, its host in lower case; or what it must be
 */
export function readWebAddress(text: string): { url: string } | { problem: string } {
  if (!isPlainUrl(text)) return { problem: PLAIN_URL }
  const authority = HTTPS_AUTHORITY.exec(text)?.[1]
  if (authority === undefined || !URL.canParse(text)) return { problem: 'must be an https URL' }
  const { href, origin, hostname } = new URL(text)
  if (authority.includes('@')) return { problem: 'must not contain a username or password' }
  const problem = publicHostProblem(hostname)
  if (problem) return { problem }
  return { url: text === origin ? text : href }
}
