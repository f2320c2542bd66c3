import { DOMAIN_MAX, hostProblem } from '../../lib/host.ts'

const LENGTH_MAX = 2_048
const UNPRIVILEGED_PORT = 1_024
// biome-ignore lint/suspicious/noControlCharactersInRegex: rejects them, because URL parsing would silently remove them
const ODD_CHARACTERS = /[\s\\\u0000-\u001f\u007f]/u
const AUTHORITY = /^https?:\/\/([^/?#]*)/i
const DNS_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

interface UrlRules {
  BASE_URL: string
  ALLOW_LOCAL_WEBHOOKS: boolean
}

/**
 * Why a webhook URL is rejected; null if it can be called. Checked at registration and again before each attempt.
 *
 * A public name can still resolve to a private address: a Worker reaches only the public Internet (SECURITY.md).
 *
 * @param rules BASE_URL (our own host is rejected) and ALLOW_LOCAL_WEBHOOKS (http on this machine, local stack only)
 * @returns the rule that it violates, without the field name
 */
export function webhookUrlProblem(text: string, rules: UrlRules): string | null {
  if (text.length > LENGTH_MAX) return `at most ${LENGTH_MAX} characters`
  if (ODD_CHARACTERS.test(text)) return 'must not contain spaces, control characters, or backslashes'
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  const isLocal = rules.ALLOW_LOCAL_WEBHOOKS && url.protocol === 'http:' && isThisMachine(url.hostname)
  if (url.protocol !== 'https:' && !isLocal) return 'must be an https URL'
  const authority = AUTHORITY.exec(text)?.[1]?.toLowerCase() ?? ''
  if (url.username || url.password || authority.includes('@')) {
    return 'must not contain a username or password'
  }
  if (isLocal) return null
  if (url.port && Number(url.port) < UNPRIVILEGED_PORT) return 'must use port 443, or port 1024 or above'
  const problem = hostProblem(url.hostname, new URL(rules.BASE_URL).hostname)
  if (problem) return problem
  if (url.hostname.length > DOMAIN_MAX || !DNS_NAME.test(url.hostname)) return 'must use a DNS host name'
  const isPlain = authority === url.host || authority === `${url.host}:443`
  return isPlain
    ? null
    : 'must start with https://, followed by the host name in ASCII (punycode) and an optional port without leading zeros'
}

function isThisMachine(hostname: string): boolean {
  return hostname === '127.0.0.1' || hostname === 'localhost'
}
