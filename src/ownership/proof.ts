import * as z from 'zod'
import type { ownership_challenges } from '../db/schema.ts'
import { DOMAIN_MAX } from '../lib/host.ts'
import { parseJson } from '../lib/json.ts'

const RECORD_LABEL = '_reg-agent'
const WELL_KNOWN_PATH = '/.well-known/reg-agent.json'
/** Maximum length of a domain, so that the name of its record is a domain name, too. */
export const DNS_DOMAIN_MAX = DOMAIN_MAX - RECORD_LABEL.length - 1

/** The proof to publish for a domain. */
export type Proof = { reg: string } & Pick<
  typeof ownership_challenges.$inferSelect,
  'domain' | 'method' | 'token'
>

/** The name of the TXT record of a domain. */
export const recordName = (domain: string) => `${RECORD_LABEL}.${domain}`

/** The value of the TXT record. */
export const recordValue = ({ reg, token }: Proof) => `reg-agent=${reg}:${token}`

/**
 * The URL of the file of a domain.
 *
 * @param base URL of a server with the files of all domains, on the local stack; by default, the domain itself
 */
export function fileUrl(domain: string, base?: string): string {
  return `${base ? `${base}/${domain}` : `https://${domain}`}${WELL_KNOWN_PATH}`
}

/** The content of the file. */
export const fileContent = ({ reg, token }: Proof) => ({ reg, token })

/** Why none of a domain's TXT records is the proof; null if one is. */
export function recordsProblem(texts: readonly string[], proof: Proof): string | null {
  const wanted = recordValue(proof)
  if (texts.some((text) => text.trim() === wanted)) return null
  const name = recordName(proof.domain)
  if (texts.length === 0) return `${name} has no TXT record`
  return `none of the TXT records of ${name} matches the challenge; found: ${excerptOf(texts)}`
}

const entry = z.object({ reg: z.string(), token: z.string() })
const file = z.union([z.array(z.unknown()), entry.transform((one) => [one])])

/**
 * Why the file of a domain is not the proof; null if it is. A file can contain an array with entries for several agents.
 *
 * @param text content of the file
 */
export function fileProblem(text: string, proof: Proof): string | null {
  const parsed = file.safeParse(parseJson(text))
  if (!parsed.success) return 'must contain a JSON object with reg and token, or an array of such objects'
  const entries = parsed.data.flatMap((one) => entry.safeParse(one).data ?? [])
  const own = entries.filter(({ reg }) => reg === proof.reg)
  if (own.length === 0) return `has no entry for ${proof.reg}`
  if (own.every(({ token }) => token !== proof.token)) return `has a different token for ${proof.reg}`
  return null
}

const SHOWN_TEXTS = 3
const SHOWN_CHARACTERS = 100

function excerptOf(texts: readonly string[]): string {
  const shown = texts
    .slice(0, SHOWN_TEXTS)
    .map((text) => JSON.stringify([...text].slice(0, SHOWN_CHARACTERS).join('')))
  const more = texts.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
