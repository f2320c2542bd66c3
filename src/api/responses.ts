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
export interface RouteResponses {
  tags: [Tag]
  summary: string
  description?: string
  responses: RouteConfig['responses']
  /** Error codes of this route, in addition to those of every route of its kind. */
  errors?: readonly ErrorCode[]
}

/** The responses of a feature's routes, by `operationId`. */
export type FeatureResponses = Record<string, RouteResponses>

/** A JSON response with a schema; without an example, the OpenAPI document makes one from the schema. */
export function json<const Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: z.output<Schema>,
) {
  const media = { schema, ...(example !== undefined && { example }) }
  return { description, content: { 'application/json': media } } as const
}
