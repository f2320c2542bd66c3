import { z } from '@hono/zod-openapi'
import { textField, timestamp } from '../http/fields.ts'
import { operator } from '../operators/schema.ts'

const EMAIL_MAX = 254 // RFC 5321, section 4.5.3.1.3

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
