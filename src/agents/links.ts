import { isWithin } from '../lib/host.ts'

/** The links of an agent, which are public only if they point to its verified domain or a subdomain of it. */
const LINKS = ['homepage_url', 'card_url'] as const

/** Why a link is not public: the agent has no verified domain, or the link points to another one. */
export const HIDDEN_REASONS = ['no_domain', 'other_domain'] as const

type Link = (typeof LINKS)[number]
type Reason = (typeof HIDDEN_REASONS)[number]
type Claims = { domain: string | null } & Record<Link, string | null>

/** A link of an agent as the public sees it: null if there is none or it is not public. */
export function publicLink(agent: Claims, link: Link): string | null {
  return hiddenReason(agent.domain, agent[link]) ? null : agent[link]
}

/** The links of an agent that only its operator can see, each with the reason. */
export function hiddenLinks(agent: Claims): { [L in Link]?: Reason } {
  const hidden: { [L in Link]?: Reason } = {}
  for (const link of LINKS) {
    const reason = hiddenReason(agent.domain, agent[link])
    if (reason) hidden[link] = reason
  }
  return hidden
}

function hiddenReason(domain: string | null, url: string | null): Reason | null {
  if (url === null) return null
  if (domain === null) return 'no_domain'
  return isWithin(new URL(url).hostname, domain) ? null : 'other_domain'
}
