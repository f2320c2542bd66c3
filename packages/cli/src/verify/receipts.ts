import { readFileSync } from 'node:fs'
import { parseJson } from '../../../../src/lib/json.ts'
import { type JwkSet, type Verdict, type VerifyAgentOptions, verifyReceipt } from '../../../verify/index.ts'
import { Failure } from '../failure.ts'

const SEVERITY = ['verified', 'incomplete', 'unknown_agent', 'failed'] as const
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Verifies the receipts of a file: one per line, as text or in the `receipt` of a JSON object, such as a response.
 *
 * @param keysFile the key set that was stored with them
 * @throws Error when a file cannot be read; Failure when a line has no receipt
 */
export async function verifyReceipts(
  baseUrl: string,
  file: string,
  keysFile: string | undefined,
  options: VerifyAgentOptions,
): Promise<Verdict> {
  const text = readFileSync(file, 'utf8').trim()
  const whole = jwtIn(text, 'receipt')
  const receipts = whole ? [whole] : text.split('\n').map((line) => jwtIn(line.trim(), 'receipt'))
  const keys = keysFile === undefined ? undefined : parseKeys(keysFile)
  const all: Verdict = { verdict: 'verified', checks: [], notes: [], witnesses: [] }
  for (const [at, receipt] of receipts.entries()) {
    if (receipt === null) throw new Failure(`--receipt ${file}: line ${at + 1} has no receipt`)
    const { verdict, checks, notes, witnesses } = await verifyReceipt(baseUrl, receipt, { ...options, keys })
    all.witnesses = witnesses
    if (SEVERITY.indexOf(verdict) > SEVERITY.indexOf(all.verdict)) all.verdict = verdict
    all.checks.push(...checks.filter(({ name, ok }) => at === 0 || !ok || name === 'receipt'))
    all.notes.push(...notes.filter((note) => !all.notes.includes(note)))
  }
  return all
}

function parseKeys(file: string): JwkSet {
  const set: unknown = parseJson(readFileSync(file, 'utf8'))
  if (Array.isArray(Object(set).keys)) return set as JwkSet
  throw new Failure(`--keys ${file}: must be a key set, as /.well-known/jwks.json returns it`)
}

/** The JSON Web Token that a text is, or that a JSON object has as a field; null without one. */
export function jwtIn(text: string, field: string): string | null {
  const found = JWT.test(text) ? text : Object(parseJson(text))[field]
  return typeof found === 'string' ? found : null
}
