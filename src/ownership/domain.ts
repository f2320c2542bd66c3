import { DOMAIN_MAX, hostProblem, isDomainName, toHostname } from '../lib/host.ts'

/**
 * Reads the name of a domain that somebody may prove to hold.
 *
 * @param text as it was given; letters beyond ASCII become punycode
 * @param baseUrl of this service, whose own host cannot be proven
 * @returns the name in lower case, or why it is none
 */
export function readDomain(text: string, baseUrl: string): { domain: string } | { problem: string } {
  const domain = toHostname(text)
  if (domain === null) return { problem: 'must be a domain name' }
  const problem = hostProblem(domain, new URL(baseUrl).hostname)
  if (problem) return { problem }
  if (domain.length > DOMAIN_MAX) return { problem: `at most ${DOMAIN_MAX} characters, in punycode` }
  return isDomainName(domain) ? { domain } : { problem: 'must be a domain name' }
}
