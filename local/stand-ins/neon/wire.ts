import pg from 'pg'
import { z } from 'zod'
import { messageOf } from '../../../scripts/support/message.ts'

/** The driver sends each parameter in PostgreSQL's text format. */
const statement = z.object({ query: z.string(), params: z.array(z.string().nullable()).default([]) })
const payload = z.union([statement, z.object({ queries: z.array(statement) })])
/** One statement with its parameters. */
export type Statement = z.infer<typeof statement>

/** A rejection with its own status; all other errors return 400, as in Neon. */
export class Rejection extends Error {
  readonly status: number
  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** @throws Rejection */
export function parsePayload(body: string): z.infer<typeof payload> {
  try {
    return payload.parse(JSON.parse(body))
  } catch (error) {
    throw new Rejection(400, 'the body is not {query, params} or {queries}', error)
  }
}

/** An error in the form that Neon's driver expects. */
export function toErrorBody(thrown: unknown) {
  const error =
    thrown instanceof Rejection && thrown.cause instanceof pg.DatabaseError ? thrown.cause : thrown
  const message = messageOf(error)
  if (!(error instanceof pg.DatabaseError)) return { message, code: '', severity: '' }
  return { ...error, message } // whose fields have the same names
}
