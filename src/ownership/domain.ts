import { DOMAIN_MAX, hostProblem, isDomainName, toHostname } from '../lib/host.ts'

/**
 * Reads a domain that an operator wants to verify.
 *
 * @param text the user's input; letters beyond ASCII become punycode
 * @param baseUrl URL of this service, whose own domain cannot be verified
 * @returns the domain in lower case, or why it cannot be verified
 */
export function readDomain(text: string, baseUrl: string): { domain: string } | { problem: string } {
  const domain = toHostname(text)
  if (domain === null) return { problem: 'must be a domain name' }
  const problem = hostProblem(domain, new URL(baseUrl).hostname)
  if (problem) return { problem }
  if (domain.length > DOMAIN_MAX) return { problem: `at most ${DOMAIN_MAX} characters, in punycode` }
  return isDomainName(domain) ? { domain } : { problem: 'must be a domain name' }
}
