import type { ErrorCode } from '../../src/errors.ts'

interface ErrorText {
  /** When the code is returned, and what was not done, in one line. */
  when: string
  /** An example of the message. */
  message: string
  /** What to do, as steps or by case. */
  advice: readonly string[]
}

/** The texts of each code, for the document and the page /docs/errors. */
export const ERROR_TEXTS: Record<ErrorCode, ErrorText> = {
  VALIDATION_ERROR: {
    when: 'A body field, a parameter, or a header is invalid; nothing was stored',
    message: 'name: at most 255 characters',
    advice: [
      'Read the message: it names up to five fields, each followed by a colon and its rule.',
      'Write agent numbers in uppercase, such as REG-2026-0001-0042-U. Write times in ISO 8601.',
      'Searches and lists reject unknown query parameters and list the supported ones.',
    ],
  },
  NO_UPDATES: {
    when: 'The body contains no field to change',
    message: 'body: must contain at least one field to change',
    advice: ['Send at least one field that the endpoint documents. Unknown fields are ignored.'],
  },
  UNAUTHORIZED: {
    when: 'The credential is missing, mistyped, unknown, expired, revoked, or of the wrong kind',
    message: 'Authorization: this endpoint requires a session token (reg_sess_…) as a Bearer token',
    advice: [
      'Send the header Authorization with the value Bearer, a space, and the whole token.',
      'A session token (reg_sess_…) is valid for 30 days; sign in again to get a new one. An API key (reg_live_…) is valid until it expires or is revoked.',
      'If the message says that the token is incomplete or mistyped, copy the whole token again.',
      'The message states which kind of credential the endpoint requires.',
    ],
  },
  AGENT_LIMIT_REACHED: {
    when: 'The operator has as many active agents as its tier allows; nothing was registered',
    message:
      'your tier allows 3 active agents: deactivate one, or ask the administrator of this registry to upgrade you to pro (50)',
    advice: [
      'Deactivate an agent that you no longer need: PATCH /agents/{reg} with {"status": "deactivated"}. This is permanent.',
      'Or ask the administrator of this registry for a higher tier.',
    ],
  },
  FORBIDDEN: {
    when: 'The credential is valid, but the caller is not allowed to do this: a permission is missing, the resource belongs to another operator, or the operator is suspended',
    message: 'this API key lacks the permission read; create a key that has it',
    advice: [
      'If a permission is missing, create an API key that has it. The permissions of a key cannot be changed.',
      'If the agent belongs to another operator: only its operator can change it, and only its operator or its platform can report on it.',
      'If the operator is suspended, its credentials are accepted only for public reads. Contact the administrator of this registry.',
    ],
  },
  NOT_FOUND: {
    when: 'The path or resource does not exist, or the caller is not allowed to see it',
    message: 'there is no agent REG-2026-0001-0042-U',
    advice: [
      'An agent number ends with a check character. If the message says that it does not match, a character is mistyped.',
      'Every path of the API starts with /api/v1.',
    ],
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path does not support this method',
    message: '/api/v1/agents supports POST, not PUT',
    advice: [
      'The header Allow lists the methods of the path; the reference says what each does.',
      'Agents are listed by GET /agents/search, not by GET /agents.',
    ],
  },
  CONFLICT: {
    when: 'The request is valid, but conflicts with the current state of the resource; nothing was changed',
    message: "slug: 'acme-market' is already taken; choose another",
    advice: [
      'Read the message: it states the conflict.',
      'Get the resource before you decide what to do. The same request is rejected until the state changes.',
    ],
  },
  AGENT_DEACTIVATED: {
    when: 'The agent was permanently deactivated by its operator; the event was not stored',
    message: 'agent REG-2026-0001-0042-U is deactivated and accepts no more events',
    advice: [
      'Stop reporting events for this agent. If it is still in use, register it again and report under its new number.',
    ],
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body exceeds the size limit of the endpoint; nothing was stored',
    message: 'body: at most 65536 bytes',
    advice: [
      'Split a batch of events: the limit is 1,000 events and 1 MB. The limit for other bodies is 64 KB.',
    ],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is compressed or not declared as JSON',
    message: 'Content-Type: must be application/json',
    advice: [
      'Send Content-Type: application/json.',
      'Do not send Content-Encoding: turn off compression of request bodies in your client.',
    ],
  },
  IDEMPOTENCY_MISMATCH: {
    when: 'Within the last 24 hours, the Idempotency-Key was already used with a different body',
    message: 'Idempotency-Key: already used with a different body; use a new key',
    advice: [
      'To retry a request, send exactly the same bytes as the first time.',
      'For a new request, use a new key.',
    ],
  },
  RATE_LIMITED: {
    when: 'The rate limit per minute or, if the message says so, a quota for this UTC day is exceeded; nothing was stored',
    message: 'rate limit of 120 requests per minute exceeded; try again in 12 s',
    advice: [
      'Wait for the number of seconds in Retry-After, then continue.',
      'Watch X-RateLimit-Remaining, and report events in batches: a batch of 1,000 events counts as one request.',
      'Requests without a credential are counted by IP address; requests with one, by credential.',
    ],
  },
  INTERNAL_ERROR: {
    when: 'An error in the service, which was logged with the ID in X-Request-Id',
    message: 'internal error; if it persists, report the X-Request-Id to the administrator of this registry',
    advice: [
      'Try again once. Reports and registrations can be repeated safely with the same Idempotency-Key.',
      'If the error persists, report the X-Request-Id to the administrator of this registry.',
    ],
  },
  SERVICE_UNAVAILABLE: {
    when: 'A service that the registry depends on is unavailable or slow at the moment',
    message: 'the database is not responding; try again shortly',
    advice: [
      'Wait for the number of seconds in Retry-After, then try again.',
      'If the message says that the request may have taken effect, repeat it with the same Idempotency-Key, or check the result before you repeat it.',
    ],
  },
}
