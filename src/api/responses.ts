import type { RouteConfig } from '@hono/zod-openapi'
import type * as z from 'zod'
import type { ErrorCode } from '../errors.ts'

/** The parts of the API in the order of the reference. */
export const TAGS = [
  'Sign-in',
  'Operators',
  'API keys',
  'Notifications',
  'KYC',
  'Agents',
  'Agent keys',
  'Ownership',
  'Trust scores',
  'Activity',
  'Incidents',
  'Verification',
  'Platforms',
  'Webhooks',
] as const

export type Tag = (typeof TAGS)[number]

/** The documentation of a route in addition to its declaration, and the schemas of its successful responses. */
interface RouteResponses {
  summary: string
  description?: string
  responses: RouteConfig['responses']
  /** Error codes of this route, in addition to those of every route of its kind. */
  errors?: readonly ErrorCode[]
}

type Described<Route, Id> = Route & { tags: [Tag]; operationId: Id }

/**
 * Routes of one part of the API, which the reference lists together.
 *
 * @param routes by `operationId`, which names the route in generated clients: verb and noun, never changed
 */
export function describeRoutes<Routes extends Record<string, RouteResponses>>(tag: Tag, routes: Routes) {
  const entries = Object.entries(routes).map(([operationId, route]) => [
    operationId,
    { tags: [tag], ...route, operationId },
  ])
  return Object.fromEntries(entries) as { [Id in keyof Routes]: Described<Routes[Id], Id & string> } // the same keys
}

/** A JSON response with a schema; without an example, the OpenAPI document makes one from the schema. */
export function json<const Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: z.output<Schema>,
) {
  const media = { schema, ...(example !== undefined && { example }) }
  return { description, content: { 'application/json': media } } as const
}
