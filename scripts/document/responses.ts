import type { RouteConfig } from '@hono/zod-openapi'
import * as z from 'zod'
import { cachingOf, type Endpoint } from '../../src/api/endpoint.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { warnings } from '../../src/wire/responses.ts'
import { errorRefs } from './errors.ts'
import { headerRefs } from './headers.ts'

const JSON_TYPE = 'application/json'

/** All responses of a route: its declared ones with their headers, 304 if it has ETags, and its errors. */
export function responsesOf(route: Endpoint): RouteConfig['responses'] {
  const hasEtag = cachingOf(route) !== 'private' && route.method === 'get'
  const responses: RouteConfig['responses'] = { ...errorRefs(errorCodes(route)) }
  if (hasEtag) {
    responses[304] = {
      description: 'Not modified since the response with this ETag',
      headers: headerRefs('ETag', 'Cache-Control'),
    }
  }
  for (const [status, response] of Object.entries(route.responses)) {
    const own = route.request?.body ? withWarnings(response) : response
    responses[status] = { ...own, headers: successHeaders(route, status, hasEtag) }
  }
  return responses
}

const warned = z.object({ warnings }).meta({ id: 'Warned', description: 'Part of a response to a body' })

/** A response to a request with a body, with its warnings; the variants of a union declare them themselves. */
type Response = RouteConfig['responses'][string]

function withWarnings(response: Response): Response {
  const media = 'content' in response ? response.content?.[JSON_TYPE] : undefined
  if (!media || !('schema' in media) || !(media.schema instanceof z.ZodObject)) return response
  return { ...response, content: { [JSON_TYPE]: { ...media, schema: media.schema.and(warned) } } }
}

function successHeaders({ request, operationId }: Endpoint, status: string, hasEtag: boolean) {
  return headerRefs(
    'Cache-Control',
    ...(hasEtag && status === '200' ? (['ETag'] as const) : []),
    ...(hasField(request?.query, 'per_page') ? (['Link'] as const) : []),
    ...(operationId === 'getAgent' ? (['Link'] as const) : []),
    ...(hasField(request?.headers, 'idempotency-key') ? (['Idempotency-Replayed'] as const) : []),
    ...(hasField(request?.headers, 'prefer') ? (['Preference-Applied'] as const) : []),
    ...(status === '302' ? (['Location'] as const) : []),
  )
}

function hasField(schema: unknown, name: string): boolean {
  return typeof schema === 'object' && schema !== null && 'shape' in schema && name in Object(schema.shape)
}

/** The error codes of a route: the declared ones, and those that follow from its access and its input. */
function errorCodes({ access, request = {}, errors = [] }: Endpoint): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(errors)
  if (access.by !== 'address') codes.add('UNAUTHORIZED')
  if (access.by !== 'address' && access.by !== 'anyone') codes.add('FORBIDDEN')
  if (request.body) codes.add('VALIDATION_ERROR').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  if (request.params || request.query || request.headers) codes.add('VALIDATION_ERROR')
  return codes.add('RATE_LIMITED').add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE')
}
