const TXT = 16
const NAME_ERROR = 3
const TTL_SECONDS = 300

/**
 * The response of a resolver to a TXT query, in the form of Cloudflare's resolver: the text of a record is quoted.
 *
 * @param name in lowercase, without a trailing dot
 */
export function txtAnswer(name: string, texts: readonly string[] = []) {
  const answers = texts.map((text) => ({ name, type: TXT, TTL: TTL_SECONDS, data: JSON.stringify(text) }))
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
