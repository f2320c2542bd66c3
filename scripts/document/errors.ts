import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts'
import { headerRefs } from './headers.ts'

/** When a code is answered, and a message as it then comes. */
const CODES: Record<ErrorCode, [when: string, message: string]> = {
  VALIDATION_ERROR: ['The input is not valid; the message names the fields', 'name: at most 255 characters'],
  NO_UPDATES: ['No field to change is given', 'body: no field to change is given'],
  UNAUTHORIZED: [
    'The credential is missing, mistyped, unknown, ended or of the other kind',
    'Authorization: this route takes a session token (reg_sess_…) as Bearer token',
  ],
  AGENT_LIMIT_REACHED: ['The tier allows no more active agents', 'your tier allows 3 active agents'],
  FORBIDDEN: [
    'The caller may not do this: permission, owner, or a suspended operator',
    'this API key lacks the permission read',
  ],
  NOT_FOUND: ['What is named does not exist', 'there is no agent REG-2026-0001-0042-U'],
  METHOD_NOT_ALLOWED: ['The path does not take this method', '/api/v1/agents takes POST, not PUT'],
  CONFLICT: ['The state of the record, or of another one, forbids it', "slug: 'acme-market' is taken"],
  AGENT_DEACTIVATED: [
    'The agent is deactivated',
    'agent REG-2026-0001-0042-U is deactivated and takes no more events',
  ],
  PAYLOAD_TOO_LARGE: ['The body is too large', 'body: at most 65536 bytes'],
  UNSUPPORTED_MEDIA_TYPE: ['The body is not declared as JSON', 'Content-Type: must be application/json'],
  IDEMPOTENCY_MISMATCH: [
    'The Idempotency-Key came with another body before',
    'Idempotency-Key: was used before with another body',
  ],
  RATE_LIMITED: ['Too many calls in this minute', 'over 120 requests a minute, try again in 12 s'],
  INTERNAL_ERROR: ['A fault of the service', 'something went wrong on our side'],
  SERVICE_UNAVAILABLE: [
    'A part that the service needs does not answer',
    'the database does not answer, try again shortly',
  ],
}

const OR = '_or_'
const REF = '#/components/responses/'

/** The error answers of a route by status: references whose names are the codes. */
export function errorRefs(codes: ReadonlySet<ErrorCode>): Record<number, { $ref: string }> {
  const refs: Record<number, { $ref: string }> = {}
  for (const code of Object.keys(CODES) as ErrorCode[]) {
    if (!codes.has(code)) continue
    const before = refs[ERROR_STATUS[code]]
    refs[ERROR_STATUS[code]] = { $ref: before ? `${before.$ref}${OR}${code}` : REF + code }
  }
  return refs
}

/** The answers that such references name. */
export function errorAnswers(refs: Iterable<string>) {
  const names = [...new Set(refs)].map((ref) => ref.slice(REF.length)).sort()
  return Object.fromEntries(names.map((name) => [name, errorAnswer(name.split(OR) as ErrorCode[])]))
}

function errorAnswer(codes: ErrorCode[]) {
  const status = ERROR_STATUS[codes[0] ?? 'INTERNAL_ERROR']
  const error = {
    type: 'object' as const,
    properties: {
      code: { type: 'string' as const, enum: codes },
      message: { type: 'string' as const, description: 'For people; names the field and its rule' },
      status: { type: 'integer' as const, enum: [status] },
    },
    required: ['code', 'message', 'status'],
  }
  const example = (code: ErrorCode) => ({ value: { error: { code, message: CODES[code][1], status } } })
  return {
    description: codes.map((code) => `\`${code}\`: ${CODES[code][0]}`).join('\n\n'),
    headers: headerRefs(...ownHeaders(status)),
    content: {
      'application/json': {
        schema: { type: 'object' as const, properties: { error }, required: ['error'] },
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  }
}

function ownHeaders(status: number): ('Retry-After' | 'WWW-Authenticate')[] {
  if (status === 401) return ['WWW-Authenticate']
  return status === 429 || status === 503 ? ['Retry-After'] : []
}
