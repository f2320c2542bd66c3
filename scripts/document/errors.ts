import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { headerRefs } from './headers.ts'

const OR = '_or_'
const REF = '#/components/responses/'

/** The error responses of a route by status: references that are named after their codes. */
export function errorRefs(codes: ReadonlySet<ErrorCode>): Record<number, { $ref: string }> {
  const refs: Record<number, { $ref: string }> = {}
  for (const code of Object.keys(ERROR_TEXTS) as ErrorCode[]) {
    if (!codes.has(code)) continue
    const before = refs[ERROR_STATUS[code]]
    refs[ERROR_STATUS[code]] = { $ref: before ? `${before.$ref}${OR}${code}` : REF + code }
  }
  return refs
}

/** The error responses that these references point to. */
export function errorResponses(refs: Iterable<string>) {
  const names = [...new Set(refs)].map((ref) => ref.slice(REF.length)).sort()
  return Object.fromEntries(names.map((name) => [name, errorResponse(name.split(OR) as ErrorCode[])]))
}

function errorResponse(codes: ErrorCode[]) {
  const status = ERROR_STATUS[codes[0] ?? 'INTERNAL_ERROR']
  const error = {
    type: 'object' as const,
    properties: {
      code: { type: 'string' as const, enum: codes },
      message: {
        type: 'string' as const,
        description: 'Human-readable explanation; for invalid input, it names each field and its rule',
      },
      status: { type: 'integer' as const, enum: [status] },
    },
    required: ['code', 'message', 'status'],
  }
  const example = (code: ErrorCode) => ({
    value: { error: { code, message: ERROR_TEXTS[code].message, status } },
  })
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TEXTS[code].when}`).join('\n\n'),
    headers: headerRefs(...ownHeaders(status)),
    content: {
      'application/json': {
        schema: { type: 'object' as const, properties: { error }, required: ['error'] },
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  }
}

function ownHeaders(status: number): ('Link' | 'Retry-After' | 'WWW-Authenticate')[] {
  if (status === 401) return ['Link', 'WWW-Authenticate']
  return status === 429 || status === 503 ? ['Link', 'Retry-After'] : ['Link']
}
