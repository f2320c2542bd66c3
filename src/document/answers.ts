import type { RouteConfig } from '@hono/zod-openapi'
import type { Access } from '../credentials/authorize.ts'
import type { ErrorCode } from '../errors.ts'
import type { Caching } from '../http/caching.ts'
import { errorRefs } from './errors.ts'
import { headerRefs } from './headers.ts'

interface Answered {
  method: string
  access: Access
  caching: Caching
  request: NonNullable<RouteConfig['request']>
  responses: RouteConfig['responses']
  errors: readonly ErrorCode[]
}

/** All answers of a route: its own with their headers, 304 where it has ETags, and the errors of its kind. */
export function documentAnswers(route: Answered): RouteConfig['responses'] {
  const hasEtag = route.caching !== 'private' && route.method === 'get'
  const responses: RouteConfig['responses'] = { ...errorRefs(errorCodes(route)) }
  if (hasEtag) {
    responses[304] = {
      description: 'Nothing has changed since the answer with this ETag',
      headers: headerRefs('ETag', 'Cache-Control'),
    }
  }
  for (const [status, response] of Object.entries(route.responses)) {
    responses[status] = { ...response, headers: successHeaders(route, status, hasEtag) }
  }
  return responses
}

function successHeaders({ request }: Answered, status: string, hasEtag: boolean) {
  return headerRefs(
    'Cache-Control',
    ...(hasEtag && status === '200' ? (['ETag'] as const) : []),
    ...(hasField(request.query, 'per_page') ? (['Link'] as const) : []),
    ...(hasField(request.headers, 'idempotency-key') ? (['Idempotency-Replayed'] as const) : []),
    ...(status === '302' ? (['Location'] as const) : []),
  )
}

function hasField(schema: unknown, name: string): boolean {
  return typeof schema === 'object' && schema !== null && 'shape' in schema && name in Object(schema.shape)
}

/** The codes that a route answers: its own, and those that follow from who may call it and what it reads. */
function errorCodes({ access, request, errors }: Answered): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(errors)
  if (access.by !== 'anyone') codes.add('UNAUTHORIZED').add('FORBIDDEN')
  if (request.body) codes.add('VALIDATION_ERROR').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  if (request.params || request.query || request.headers) codes.add('VALIDATION_ERROR')
  return codes.add('RATE_LIMITED').add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE')
}
