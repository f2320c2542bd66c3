import type { ErrorCode } from '../../src/errors.ts'

export interface ErrorText {
  /** When the code is answered, in a line. */
  when: string
  /** A message as it then comes. */
  message: string
  /** What has happened, for whoever has just met it. */
  means: string
  /** What to do now, step by step or by case. */
  advice: readonly string[]
}

/** What is said of each code, in the document and on the page at /docs/errors. */
export const ERROR_TEXTS: Record<ErrorCode, ErrorText> = {
  VALIDATION_ERROR: {
    when: 'The input is not valid; the message names the fields',
    message: 'name: at most 255 characters',
    means:
      'A field of the body, a parameter of the path or query, or a header does not keep its rule. Nothing was stored.',
    advice: [
      'Read the message: each part is a field, a colon and its rule; up to five are named at once.',
      'Agent numbers are written in capitals, as REG-2026-0001-0042-U. Times are ISO 8601.',
      'Searches and lists refuse query parameters that they do not know, and name those that they do.',
    ],
  },
  NO_UPDATES: {
    when: 'No field to change is given',
    message: 'body: must contain at least one field to change',
    means: 'A change of your own record named no field that can be changed.',
    advice: ['Send at least one field that the route describes. Fields that it does not know are ignored.'],
  },
  UNAUTHORIZED: {
    when: 'The credential is missing, mistyped, unknown, ended or of the other kind',
    message: 'Authorization: this route takes a session token (reg_sess_…) as Bearer token',
    means: 'The service does not know who is calling, or the route takes the other kind of credential.',
    advice: [
      'Send the header Authorization: Bearer, a space, and the whole token.',
      'A session token (reg_sess_…) lives 30 days; sign in again for a new one. An API key (reg_live_…) works until it is revoked or expires.',
      'When the message says incomplete or mistyped: copy the whole token again.',
      'The message says which kind the route takes.',
    ],
  },
  AGENT_LIMIT_REACHED: {
    when: 'The tier allows no more active agents',
    message:
      'your tier allows 3 active agents: deactivate one, or ask the administrator of this registry to upgrade you to pro (50)',
    means: 'You have as many active agents as your tier allows. Nothing was registered.',
    advice: [
      'Deactivate an agent that is no longer needed: PATCH /agents/{reg} with {"status": "deactivated"}. This is final.',
      'Or ask the administrator of this registry for a higher tier.',
    ],
  },
  FORBIDDEN: {
    when: 'The caller may not do this: permission, owner, or a suspended operator',
    message: 'this API key lacks the permission read',
    means: 'The service knows who is calling, and that caller may not do this.',
    advice: [
      'A permission is missing: create an API key that has it. The permissions of a key never change.',
      "The agent is another operator's: only its own operator may change it, and only its operator or its platform may report on it.",
      'The operator is suspended: none of its credentials is let in. Ask the administrator of this registry.',
    ],
  },
  NOT_FOUND: {
    when: 'What is named does not exist',
    message: 'there is no agent REG-2026-0001-0042-U',
    means: 'There is no such path, agent, platform or record, or it is not yours to see.',
    advice: [
      'An agent number ends with a check character; when the message says that it does not match, a digit is mistyped.',
      'Every path of the API stands below /api/v1.',
    ],
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path does not take this method',
    message: '/api/v1/agents supports POST, not PUT',
    means: 'The path exists, but not for this method.',
    advice: [
      'The header Allow lists the methods of the path; the reference says what each does.',
      'Agents are listed by GET /agents/search, not by GET /agents.',
    ],
  },
  CONFLICT: {
    when: 'The state of the record, or of another one, forbids it',
    message: "slug: 'acme-market' is taken",
    means: 'The request is well formed, but does not fit the state of what it names. Nothing was changed.',
    advice: [
      'Read the message: it names the state, or what is in the way.',
      'Look at the record, then decide anew; the same request will be refused again until the state has changed.',
    ],
  },
  AGENT_DEACTIVATED: {
    when: 'The agent is deactivated',
    message: 'agent REG-2026-0001-0042-U is deactivated and accepts no more events',
    means: 'Its operator has deactivated the agent, permanently. The event was not stored.',
    advice: [
      'Stop reporting on this agent. If it works on, register it anew and report under its new number.',
    ],
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body is too large',
    message: 'body: at most 65536 bytes',
    means: 'The body has more bytes than the route reads. Nothing was stored.',
    advice: ['Split a batch of events; it may have 1,000 events and 1 MB. Other bodies may have 64 KB.'],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is compressed, or not declared as JSON',
    message: 'Content-Type: must be application/json',
    means: 'The service reads uncompressed JSON only, and only where the request says that it is JSON.',
    advice: [
      'Send Content-Type: application/json.',
      'Send no Content-Encoding: switch off the compression of request bodies in your client.',
    ],
  },
  IDEMPOTENCY_MISMATCH: {
    when: 'The Idempotency-Key came with another body before',
    message: 'Idempotency-Key: already used with a different body; use a new key',
    means:
      'The key names a request that was answered within the last 24 hours, and whose body was another one.',
    advice: [
      'A repeat must have exactly the same bytes as the first request.',
      'For something new, make a new key.',
    ],
  },
  RATE_LIMITED: {
    when: 'Too many calls in this minute, or a ceiling of this day is reached',
    message: 'rate limit of 120 requests per minute exceeded; try again in 12 s',
    means:
      'The caller has used up what it may do in this minute or, where the message names such a ceiling, in this UTC day. Nothing was stored.',
    advice: [
      'Wait for as many seconds as Retry-After says, then go on.',
      'Watch X-RateLimit-Remaining, and report events in batches: a batch of 1,000 counts as one request.',
      'Calls without a credential are counted by address; with one, by credential.',
    ],
  },
  INTERNAL_ERROR: {
    when: 'A fault of the service',
    message: 'internal error; if it persists, report the X-Request-Id to the administrator of this registry',
    means: 'The fault is ours. It is in our log under the id in X-Request-Id.',
    advice: [
      'Try again once. A report or registration is repeated safely with the same Idempotency-Key.',
      'If it stays, tell the administrator of this registry the X-Request-Id.',
    ],
  },
  SERVICE_UNAVAILABLE: {
    when: 'A part that the service needs does not answer',
    message: 'the database is not responding; try again shortly',
    means: 'A part that the service needs is away or slow at the moment.',
    advice: [
      'Wait for as many seconds as Retry-After says, then try again.',
      'When the message says that it may have been done: repeat with the same Idempotency-Key, or look before you repeat.',
    ],
  },
}
