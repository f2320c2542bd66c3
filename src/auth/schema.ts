import { z } from '@hono/zod-openapi'
import { EMAIL_MAX, textField, timestamp } from '../http/fields.ts'
import { operator } from '../operators/schema.ts'

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
