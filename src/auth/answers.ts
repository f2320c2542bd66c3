import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { operator } from '../operators/answers.ts'
import { pageOf, timestamp } from '../wire/answers.ts'
import { SESSION_ID_EXAMPLE } from './schema.ts'

/** The answer to GET /auth/callback: the only one that shows the session token. */
export const signedIn = z
  .object({
    session_token: z.string().meta({ example: 'reg_sess_…' }),
    expires_at: timestamp,
    operator,
  })
  .meta({ id: 'SignedIn' })

/** A session as its operator sees it: neither the token nor from where it was opened. */
export const session = z
  .object({
    id: z.string().meta({ description: 'Names it in the audit log too', example: SESSION_ID_EXAMPLE }),
    name: z.string().nullable().meta({
      description: 'Of a token that was made in the console for a program; null for a sign-in',
      example: 'nightly import',
    }),
    created_at: timestamp,
    expires_at: timestamp.meta({ example: '2026-12-21T10:00:00.000Z' }),
    current: z.boolean().meta({ description: 'Whether it is the one of this call', example: true }),
  })
  .meta({ id: 'Session' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  beginSignIn: {
    tag: 'Sign-in',
    summary: 'Begin a sign-in: redirects the browser to the identity provider, which e-mails a magic link',
    description:
      'Open it in a browser, or follow the redirects and keep the cookie: the way back through `/auth/callback` needs it. A browser (`Accept` prefers `text/html`) is shown refusals as a page, with the same status and headers.',
    responses: { 302: { description: 'To the identity provider' } },
  },
  finishSignIn: {
    tag: 'Sign-in',
    summary: 'The return from the identity provider: opens a session',
    description:
      'The identity provider sends the browser here after the link in the e-mail was opened. The first sign-in of an address creates its operator. A browser (`Accept` prefers `text/html`) is shown a page that leads to the console, and gets its session as a cookie for 12 hours; the token is not shown.',
    responses: {
      200: json(signedIn, 'The session; its token is shown this once'),
      303: { description: 'To the console, when the sign-in was begun there' },
    },
    errors: ['VALIDATION_ERROR', 'FORBIDDEN'],
  },
  listSessions: {
    tag: 'Sign-in',
    summary: "The operator's live sessions, newest first",
    description:
      'A tier allows 20 or 50 live sessions: a sign-in beyond that ends the oldest one, which the audit log names.',
    responses: { 200: json(pageOf(session), 'A page of sessions') },
  },
  endSession: {
    tag: 'Sign-in',
    summary: 'Sign out: ends this session',
    responses: { 204: { description: 'Signed out' } },
  },
  endAllSessions: {
    tag: 'Sign-in',
    summary: "Sign out everywhere: ends all the operator's sessions, this one too",
    description:
      'For a token that may have been seen by others. No call that begins after this response is let in with any of the tokens; API keys go on. With `keep_current=true` the session of this call stays.',
    responses: { 204: { description: 'Signed out' } },
    errors: ['VALIDATION_ERROR'],
  },
  endOneSession: {
    tag: 'Sign-in',
    summary: 'End a session of the operator, this one or another',
    description:
      'No call that begins after this answer is let in with its token. For a session that is over already the answer is the same.',
    responses: { 204: { description: 'The session has ended' } },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
