import { hostProblem } from '../lib/host.ts'

/** The longest name, RFC 1035, section 2.3.4: 255 octets on the wire. */
export const DOMAIN_MAX = 253
const NO_PART_OF_A_NAME = /[\s/:@?#%\\[\]]/
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reads the name of a domain that somebody may prove to hold.
 *
 * @param text as it was given; letters beyond ASCII become punycode
 * @param baseUrl of this service, whose own host cannot be proven
 * @returns the name in lower case, or why it is none
 */
export function readDomain(text: string, baseUrl: string): { domain: string } | { problem: string } {
  const address = `https://${text}/`
  if (NO_PART_OF_A_NAME.test(text) || !URL.canParse(address)) return { problem: 'must be a domain name' }
  const domain = new URL(address).hostname
  const problem = hostProblem(domain, new URL(baseUrl).hostname)
  if (problem) return { problem }
  if (domain.length > DOMAIN_MAX) return { problem: `at most ${DOMAIN_MAX} characters, in punycode` }
  if (!domain.split('.').every((label) => LABEL.test(label))) return { problem: 'must be a domain name' }
  return { domain }
}
