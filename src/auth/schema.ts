import * as z from 'zod'
import { EMAIL_MAX, flagParam, nameField, textField } from '../wire/fields.ts'

export const signInQuery = z.object({
  email: textField(EMAIL_MAX)
    .optional()
    .register(z.globalRegistry, {
      param: { name: 'email', in: 'query' },
      description: 'Email address, passed to the identity provider so that it does not have to ask for it',
      example: 'alice@example.com',
    }),
})

export const endSessionsQuery = z.object({
  keep_current: flagParam('keep_current', 'Whether to keep the session of the current request'),
})

export const SESSION_ID_EXAMPLE = '4fJq0w2Z'

export const sessionParam = z.object({
  id: z
    .string()
    .regex(/^[0-9A-Za-z]{8}$/, 'must be 8 characters of 0-9, A-Z, and a-z')
    .register(z.globalRegistry, {
      param: { name: 'id', in: 'path' },
      description: 'ID of the session, as shown in the list',
      example: SESSION_ID_EXAMPLE,
    }),
})

/** The console's form for a new token of a program. */
export const tokenInput = z.object({ token_name: nameField })
