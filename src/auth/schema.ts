import { z } from '@hono/zod-openapi'
import { operator } from '../operators/schema.ts'
import { EMAIL_MAX, textField, timestamp } from '../wire/fields.ts'

/** Query of GET /auth/sign-in. */
export const signInQuery = z.object({
  email: textField(EMAIL_MAX)
    .optional()
    .openapi({
      param: { name: 'email', in: 'query' },
      description: 'Handed to the identity provider, so that it need not ask',
      example: 'alice@example.com',
    }),
})

/** The answer to GET /auth/callback: the only one that shows the session token. */
export const signedIn = z
  .object({
    session_token: z.string().openapi({ example: 'reg_sess_…' }),
    expires_at: timestamp,
    operator,
  })
  .openapi('SignedIn')

const SESSION_ID_EXAMPLE = '4fJq0w2Z'

/** The path parameter of a session. */
export const sessionParam = z.object({
  id: z
    .string()
    .regex(/^[0-9A-Za-z]{8}$/, 'must be 8 of 0-9, A-Z and a-z')
    .openapi({
      param: { name: 'id', in: 'path' },
      description: 'Id of the session, as the list shows it',
      example: SESSION_ID_EXAMPLE,
    }),
})

/** A session as its operator sees it: neither the token nor from where it was opened. */
export const session = z
  .object({
    id: z.string().openapi({ description: 'Names it in the audit log too', example: SESSION_ID_EXAMPLE }),
    created_at: timestamp,
    expires_at: timestamp.openapi({ example: '2026-12-21T10:00:00.000Z' }),
    current: z.boolean().openapi({ description: 'Whether it is the one of this call', example: true }),
  })
  .openapi('Session')
