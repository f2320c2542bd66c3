import * as z from 'zod'

const TXT = 16 // RFC 1035, section 3.2.2
const NO_ERROR = 0
const NAME_ERROR = 3 // NXDOMAIN: RFC 1035, section 4.1.1
const CODE_NAMES: Record<number, string> = { 1: 'FORMERR', 2: 'SERVFAIL', 4: 'NOTIMP', 5: 'REFUSED' }

const answer = z.object({
  Status: z.int(),
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).nullish(),
})

/**
 * Reads a resolver's answer to a query for TXT records.
 *
 * @param body parsed JSON of type `application/dns-json`
 * @returns the texts of the records, or the DNS error of the domain's name servers; null if the body is not a DNS answer
 *
 * Source: https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
 */
export function readTxtAnswer(body: unknown): { texts: string[] } | { error: string } | null {
  const parsed = answer.safeParse(body)
  if (!parsed.success) return null
  const { Status, Answer } = parsed.data
  if (Status !== NO_ERROR && Status !== NAME_ERROR) return { error: CODE_NAMES[Status] ?? `code ${Status}` }
  return { texts: (Answer ?? []).flatMap(({ type, data }) => (type === TXT ? [joined(data)] : [])) }
}

const QUOTED = /"((?:[^"\\]|\\.)*)"/gs
const ESCAPED = /\\(\d{3}|.)/gs // RFC 1035, section 5.1

/** The text of a record. Some resolvers return its strings (up to 255 bytes each) in quotes, others join them. */
function joined(data: string): string {
  if (!data.startsWith('"')) return data
  return [...data.matchAll(QUOTED)].map(([, string = '']) => string.replace(ESCAPED, unescaped)).join('')
}

function unescaped(_: string, character: string): string {
  return character.length === 3 ? String.fromCharCode(Number(character)) : character
}
