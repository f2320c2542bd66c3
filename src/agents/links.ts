import { isWithin } from '../lib/host.ts'

/** What an operator may name of its agent: shown to others only below the domain that is verified. */
export const LINKS = ['homepage_url', 'card_url'] as const

/** Why a link is not shown publicly: no domain is verified, or the link leads elsewhere. */
export const HIDDEN_REASONS = ['no_domain', 'other_domain'] as const

type Link = (typeof LINKS)[number]
type Reason = (typeof HIDDEN_REASONS)[number]
type Claims = { domain: string | null } & Record<Link, string | null>

/** A link of an agent as everybody sees it: null when there is none, or the verified domain does not cover it. */
export function publicLink(agent: Claims, link: Link): string | null {
  return hiddenReason(agent.domain, agent[link]) ? null : agent[link]
}

/** The links of an agent that its operator sees and nobody else, each with the reason. */
export function notPublic(agent: Claims): { [L in Link]?: Reason } {
  const shown: { [L in Link]?: Reason } = {}
  for (const link of LINKS) {
    const reason = hiddenReason(agent.domain, agent[link])
    if (reason) shown[link] = reason
  }
  return shown
}

function hiddenReason(domain: string | null, url: string | null): Reason | null {
  if (url === null) return null
  if (domain === null) return 'no_domain'
  return isWithin(new URL(url).hostname, domain) ? null : 'other_domain'
}
