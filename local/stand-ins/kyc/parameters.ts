import type { StripeError } from './respond.ts'
import { EXPANDABLE, type Expansion } from './session.ts'
import type { Session } from './store.ts'

const TYPES = ['document', 'id_number']
const DOCUMENT_OPTION =
  /^options\[document\]\[(require_id_number|require_live_capture|require_matching_selfie)\]$/
const METADATA = /^metadata\[([^\]]{1,40})\]$/
const PLAIN = ['type', 'client_reference_id', 'return_url']

type Parameters = Pick<Session, 'client_reference_id' | 'metadata' | 'options' | 'return_url' | 'type'>

/**
 * Reads the form-encoded parameters of a new session.
 *
 * @returns the parameters, or the first error in them
 *
 * Source: https://docs.stripe.com/api/identity/verification_sessions/create
 */
export function readParameters(form: URLSearchParams): Parameters | StripeError {
  const metadata: Record<string, string> = {}
  const document: Record<string, boolean> = {}
  for (const [name, value] of form) {
    const option = DOCUMENT_OPTION.exec(name)?.[1]
    const key = METADATA.exec(name)?.[1]
    if (option && value !== 'true' && value !== 'false') return invalid(name, `Invalid boolean: ${value}`)
    if (option) document[option] = value === 'true'
    else if (key) metadata[key] = value
    else if (!PLAIN.includes(name)) {
      return invalid(name, `Received unknown parameter: ${name}`, 'parameter_unknown')
    }
  }
  const type = form.get('type')
  if (!type) return invalid('type', 'Missing required param: type.', 'parameter_missing')
  if (!TYPES.includes(type)) return invalid('type', `Invalid type: must be one of ${TYPES.join(', ')}`)
  const return_url = form.get('return_url')
  if (return_url && !URL.canParse(return_url)) return invalid('return_url', 'Not a valid URL', 'url_invalid')
  return {
    type,
    metadata,
    options: { document },
    return_url,
    client_reference_id: form.get('client_reference_id'),
  }
}

/**
 * Reads the fields to expand: `expand[]` or `expand[0]`, as Stripe's packages write them.
 *
 * Source: https://docs.stripe.com/expand
 */
export function readExpansions(query: URLSearchParams): Expansion[] | StripeError {
  const expand: Expansion[] = []
  for (const [name, value] of query) {
    const known = EXPANDABLE.find((expansion) => expansion === value)
    if (!/^expand\[\d*\]$/.test(name)) {
      return invalid(name, `Received unknown parameter: ${name}`, 'parameter_unknown')
    }
    if (!known) return invalid(name, `This property cannot be expanded (${value}).`)
    expand.push(known)
  }
  return expand
}

function invalid(param: string, message: string, code?: string): StripeError {
  return { status: 400, type: 'invalid_request_error', message, param, ...(code && { code }) }
}
