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

/** Every header that an answer can carry; answers refer to these. */
export const HEADERS = {
  'X-RateLimit-Limit': count('Calls a minute that this caller may make', 120),
  'X-RateLimit-Remaining': count('Calls that are left in this minute', 119),
  'X-RateLimit-Reset': count('When the next minute begins, in Unix seconds', 1_795_255_260),
  'X-Request-Id': text('Names this request in the log of the service', '8e5f1c2d3a4b5c6d-FRA'),
  'Retry-After': { ...count('Seconds to wait before the next try', 12), required: true },
  'Cache-Control': text('How long the answer may be kept, and by whom', 'public, max-age=10'),
  ETag: text('Names this state of the answer; send it back as If-None-Match', 'W/"0b5e2f7a9c1d4e6f"'),
  Link: text(
    'Of a list: its first, previous, next and last page, where there are such; of the profile of an agent: its page for ' +
      'people; of an error: the help about its code (RFC 8288)',
    '<https://registry.example/api/v1/agents/search?page=2>; rel="next"',
  ),
  Location: {
    ...text('Where the browser goes next', 'https://id.example/auth?client_id=registry'),
    required: true,
  },
  'WWW-Authenticate': text('The scheme of both kinds of credential', 'Bearer'),
  'Idempotency-Replayed': {
    description: 'Present when the answer is that of an earlier request with the same Idempotency-Key',
    schema: { type: 'string' as const, enum: ['true'] },
    example: 'true',
  },
}

type HeaderName = keyof typeof HEADERS

const ALWAYS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
] as const satisfies HeaderName[]

/** The headers of one answer, by reference: those that all answers carry, and these. */
export function headerRefs(...own: HeaderName[]) {
  return Object.fromEntries(
    [...ALWAYS, ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}
