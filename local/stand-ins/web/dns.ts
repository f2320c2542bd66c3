const TXT = 16
const NAME_ERROR = 3
const TTL_SECONDS = 300
const STRING_MAX = 255 // RFC 1035, section 3.3

/**
 * The response of a resolver to a TXT query, in the form of Cloudflare's resolver: the strings of a record are quoted.
 *
 * @param name in lowercase, without a trailing dot
 */
export function txtAnswer(name: string, texts: readonly string[] = []) {
  const answers = texts.map((text) => ({ name, type: TXT, TTL: TTL_SECONDS, data: quoted(text) }))
  return {
    Status: answers.length > 0 ? 0 : NAME_ERROR,
    TC: false,
    RD: true,
    RA: true,
    AD: false,
    CD: false,
    Question: [{ name, type: TXT }],
    ...(answers.length > 0 && { Answer: answers }),
  }
}

/** Splits a text into quoted strings of at most 255 bytes, as in a zone file. */
function quoted(text: string): string {
  const bytes = Buffer.from(text)
  const strings = []
  for (let from = 0; from < Math.max(bytes.length, 1); from += STRING_MAX) {
    strings.push(`"${[...bytes.subarray(from, from + STRING_MAX)].map(shown).join('')}"`)
  }
  return strings.join(' ')
}

function shown(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === '\\') return `\\${character}`
  return byte >= 32 && byte < 127 ? character : `\\${String(byte).padStart(3, '0')}`
}
