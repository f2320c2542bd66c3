import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { operator } from '../operators/responses.ts'
import { pageOf, timestamp } from '../wire/responses.ts'
import { SESSION_ID_EXAMPLE } from './schema.ts'

export const signedIn = z
  .object({
    session_token: z
      .string()
      .meta({ description: 'Session token; returned only once', example: 'reg_sess_…' }),
    expires_at: timestamp.meta({ description: 'Time at which the session expires' }),
    operator,
  })
  .meta({ id: 'SignedIn', description: 'New session and its operator' })

/** A session as shown to its operator: without the token, IP address, and user agent. */
export const session = z
  .object({
    id: z
      .string()
      .meta({ description: 'ID of the session; the audit log refers to it', example: SESSION_ID_EXAMPLE }),
    name: z.string().nullable().meta({
      description:
        'Name of a session token that was created in the console for a program; null for a sign-in',
      example: 'nightly import',
    }),
    created_at: timestamp.meta({ description: 'Time of creation' }),
    expires_at: timestamp.meta({
      description: 'Time at which the session expires',
      example: '2026-12-21T10:00:00.000Z',
    }),
    current: z
      .boolean()
      .meta({ description: 'Whether this is the session of the current request', example: true }),
  })
  .meta({ id: 'Session', description: 'Active session of an operator' })

const sessionPage = pageOf(session).meta({ id: 'SessionPage', description: 'Page of sessions' })

export const responses = describeRoutes('Sign-in', {
  beginSignIn: {
    summary: 'Start a sign-in',
    description:
      'Redirects the browser to the identity provider, which emails a magic link. Open this URL in a browser, or follow the redirects and keep the cookie, which `/auth/callback` requires.',
    responses: { 302: { description: 'Redirect to the identity provider' } },
  },
  finishSignIn: {
    summary: 'Complete a sign-in',
    description:
      'The identity provider redirects the browser here after the magic link is opened. The first sign-in with an account of the identity provider creates the operator; later ones update its `email`. If a browser navigates here (`Sec-Fetch-Mode: navigate`), no session token is returned: the response is a page that leads to the console, and it sets a cookie for the console that is valid for 12 hours; errors are pages, too.',
    responses: {
      200: json(signedIn, 'The session; its token is returned only once'),
      303: { description: 'Redirect to the console, if the sign-in was started there' },
    },
    errors: ['VALIDATION_ERROR', 'FORBIDDEN'],
  },
  listSessions: {
    summary: "List the operator's active sessions, newest first",
    description:
      'Depending on the tier, an operator can have 20 or 50 active sessions. A sign-in beyond that limit revokes the oldest session and records this in the audit log.',
    responses: { 200: json(sessionPage, 'A page of sessions') },
  },
  endSession: {
    summary: 'Sign out: revoke the current session',
    description:
      'Requests sent with the token after this response are rejected. Other sessions and API keys remain valid.',
    responses: { 204: { description: 'Signed out' } },
  },
  endAllSessions: {
    summary: 'Sign out everywhere: revoke all sessions of the operator',
    description:
      'Use this if a token may have been exposed. Requests sent with any of the tokens after this response are rejected; API keys remain valid. With `keep_current=true`, the session of the current request remains valid.',
    responses: { 204: { description: 'Signed out' } },
    errors: ['VALIDATION_ERROR'],
  },
  endOneSession: {
    summary: 'Revoke a session of the operator',
    description:
      'Requests sent with its token after this response are rejected. Revoking a session that has already ended returns the same response.',
    responses: { 204: { description: 'The session is revoked' } },
    errors: ['NOT_FOUND'],
  },
})
