import { hostProblem } from '../lib/host.ts'

const UNPRIVILEGED_PORT = 1_024

interface UrlRules {
  BASE_URL: string
  ALLOW_LOCAL_WEBHOOKS: boolean
}

/**
 * Why a webhook URL is refused; null when it may be called. Judged at registration and again before each attempt.
 *
 * @param rules BASE_URL (our own host is refused) and ALLOW_LOCAL_WEBHOOKS (http on this machine, local stack only)
 */
export function webhookUrlProblem(text: string, rules: UrlRules): string | null {
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  if (url.username || url.password) return 'must not carry a user name or password'
  if (rules.ALLOW_LOCAL_WEBHOOKS && url.protocol === 'http:' && isThisMachine(url.hostname)) return null
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (url.port && Number(url.port) < UNPRIVILEGED_PORT) return 'must use port 443 or one from 1024 on'
  return hostProblem(url.hostname, new URL(rules.BASE_URL).hostname)
}

function isThisMachine(hostname: string): boolean {
  return hostname === '127.0.0.1' || hostname === 'localhost'
}
