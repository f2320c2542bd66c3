const IPV4_LITERAL = /^\d{1,3}(\.\d{1,3}){3}$/ // `URL` turns octal, hexadecimal, and decimal forms into this one

// Suffixes that no public host has: those of RFC 6761, 6762, 7686, 8375, and 9476; ICANN's .internal and those that it
// never delegates (.home, .corp, .mail); and those that home and office networks use.
const PRIVATE_SUFFIXES = [
  ...['.localhost', '.localdomain', '.local', '.internal', '.arpa', '.onion', '.alt', '.test', '.invalid'],
  ...['.home', '.corp', '.mail', '.lan', '.intranet', '.private'],
]

/** Whether a hostname, as `URL` returns it, is the loopback host (RFC 1122, 4291, and 6761). */
export function isLoopback(hostname: string): boolean {
  return hostname === '[::1]' || /(^|\.)localhost$/.test(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/**
 * Why this service must not send requests to a host; null if it may.
 *
 * @param hostname as `URL` returns it: lowercase, punycode
 * @param ownHostname the hostname of this service, which must not call itself
 */
export function hostProblem(hostname: string, ownHostname: string): string | null {
  const problem = publicHostProblem(hostname)
  if (problem) return problem
  return isWithin(hostname, ownHostname) ? 'must not point to this service' : null
}

/**
 * Why a hostname is not that of a public host; null if it is.
 *
 * @param hostname as `URL` returns it: lowercase, punycode
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

/** Whether a hostname is a domain or a subdomain of it; both as `URL` returns hostnames. */
export function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`)
}

const NOT_IN_HOSTNAME = /[\s/:@?#%\\[\]]/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The maximum length of a domain name. Source: RFC 1035, section 2.3.4: 255 octets on the wire. */
export const DOMAIN_MAX = 253

/** A text as a hostname, in lowercase and punycode as `URL` returns it; null if the text is not just a hostname. */
export function toHostname(text: string): string | null {
  const url = `https://${text}/`
  return NOT_IN_HOSTNAME.test(text) || !URL.canParse(url) ? null : new URL(url).hostname
}

/** Whether a hostname has the form of a domain name: valid labels, and not too long. */
export function isDomainName(hostname: string): boolean {
  return hostname.length <= DOMAIN_MAX && hostname.split('.').every((label) => LABEL.test(label))
}

export const PLAIN_URL = 'must not contain spaces, invisible characters, or backslashes'
const ODD_IN_A_URL = /[\s\\\p{C}\p{Default_Ignorable_Code_Point}]/u

/** Whether a URL has no character that parsing drops or changes, such as a backslash, which becomes a slash. */
export function isPlainUrl(text: string): boolean {
  return !ODD_IN_A_URL.test(text)
}

// Not empty: `URL` skips additional slashes and would find a username after them.
const HTTPS_AUTHORITY = /^https:\/\/([^/?#]+)/i

/**
 * Reads the https URL of a page for people on a public host. The service never fetches it.
 *
 * @param text as it was submitted
 * @returns the URL in ASCII with a lowercase host; or the rule that it breaks
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
