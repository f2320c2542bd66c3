import type { RouteConfig } from '@hono/zod-openapi'
import { cachingOf, type Endpoint } from '../../src/api/endpoint.ts'
import type { RouteResponses } from '../../src/api/responses.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { errorRefs } from './errors.ts'
import { headerRefs } from './headers.ts'

/** All responses of a route: its declared ones with their headers, 304 if it has ETags, and its errors. */
export function responsesOf(route: Endpoint, declared: RouteResponses): RouteConfig['responses'] {
  const hasEtag = cachingOf(route) !== 'private' && route.method === 'get'
  const responses: RouteConfig['responses'] = { ...errorRefs(errorCodes(route, declared)) }
  if (hasEtag) {
    responses[304] = {
      description: 'Not modified since the response with this ETag',
      headers: headerRefs('ETag', 'Cache-Control'),
    }
  }
  for (const [status, response] of Object.entries(declared.responses)) {
    responses[status] = { ...response, headers: successHeaders(route, status, hasEtag) }
  }
  return responses
}

function successHeaders({ request, operationId }: Endpoint, status: string, hasEtag: boolean) {
  return headerRefs(
    'Cache-Control',
    ...(hasEtag && status === '200' ? (['ETag'] as const) : []),
    ...(hasField(request?.query?.(), 'per_page') ? (['Link'] as const) : []),
    ...(operationId === 'getAgent' ? (['Link'] as const) : []),
    ...(hasField(request?.headers?.(), 'idempotency-key') ? (['Idempotency-Replayed'] as const) : []),
    ...(status === '302' ? (['Location'] as const) : []),
  )
}

function hasField(schema: unknown, name: string): boolean {
  return typeof schema === 'object' && schema !== null && 'shape' in schema && name in Object(schema.shape)
}

/** The error codes of a route: the declared ones, and those that follow from its access and its input. */
function errorCodes({ access, request = {} }: Endpoint, { errors = [] }: RouteResponses): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(errors)
  if (access.by !== 'anyone') codes.add('UNAUTHORIZED').add('FORBIDDEN')
  if (request.body) codes.add('VALIDATION_ERROR').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  if (request.params || request.query || request.headers) codes.add('VALIDATION_ERROR')
  return codes.add('RATE_LIMITED').add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE')
}
