const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' as const, minimum: 0 },
  example,
})
const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const },
  example,
})

/** All response headers; responses refer to them. */
export const HEADERS = {
  'X-RateLimit-Limit': count('Rate limit of this caller, in requests per minute', 120),
  'X-RateLimit-Remaining': count('Requests left in the current minute', 119),
  'X-RateLimit-Reset': count('When the current minute ends, as Unix time in seconds', 1_795_255_260),
  'X-Request-Id': text('Identifies this request in the logs of the service', '8e5f1c2d3a4b5c6d-FRA'),
  'Retry-After': { ...count('Seconds to wait before retrying', 12), required: true },
  'Cache-Control': text('How long the response can be cached, and by whom', 'public, max-age=10'),
  ETag: text('Identifies this version of the response; send it as If-None-Match', 'W/"0b5e2f7a9c1d4e6f"'),
  Link: text(
    'For a list, its first, previous, next, and last page, if they exist; for an agent profile, its web page; ' +
      'for an error, the documentation of its code (RFC 8288)',
    '<https://registry.example/api/v1/agents/search?page=2>; rel="next"',
  ),
  Location: {
    ...text('URL to which the browser is redirected', 'https://id.example/auth?client_id=registry'),
    required: true,
  },
  'WWW-Authenticate': text('Authentication scheme; the same for both kinds of credential', 'Bearer'),
  'Idempotency-Replayed': {
    description: 'Present if this is the response to an earlier request with the same Idempotency-Key',
    schema: { type: 'string' as const, enum: ['true'] },
    example: 'true',
  },
  'Preference-Applied': {
    description: 'Present if the response has the receipt that the request prefers (RFC 7240)',
    schema: { type: 'string' as const, enum: ['return=receipt'] },
    example: 'return=receipt',
  },
}

type HeaderName = keyof typeof HEADERS

const ALWAYS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
] as const satisfies HeaderName[]

/** References to the headers of a response: those of all responses, and these. */
export function headerRefs(...own: HeaderName[]) {
  return Object.fromEntries(
    [...ALWAYS, ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}
