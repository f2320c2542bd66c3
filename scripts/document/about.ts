/** What the document says of the service as a whole. */
export const INFO = {
  title: 'Agent Registry',
  version: '1.0.0',
  summary: 'The public registry of software agents.',
  description: `Operators register software agents. Each agent receives a permanent number, its activity goes into a log \
that nobody can change, and a trust score is computed from that log by a published algorithm.

**Requests.** Bodies are JSON with \`Content-Type: application/json\`; fields that are not described here are ignored. \
Lengths are counted in Unicode code points. Times are ISO 8601 in UTC.

**Texts.** What people read (names, descriptions, specializations, resolutions) is stored in Unicode NFC, and its length \
is that of the NFC. Refused are control and format characters, invisible ones (joiners and variation selectors are taken \
inside an emoji), private and unassigned ones, texts of nothing visible, more than four marks on a letter, and words that \
mix letters of alphabets that look alike, such as Latin with Cyrillic or Greek. Descriptions and resolutions may hold line \
feeds and tabs. The message names the character, such as \`U+200B\`, with its place, or the word. What is assigned follows the \
Unicode version of the runtime.

**Claims.** Names, descriptions, specializations, links and the class of an agent are what its operator says: nobody has \
checked them. \`domain\` is proved; other fields say what was checked.

**Errors.** Every error is \`{"error": {"code", "message", "status"}}\`; programs should look at \`code\`. An unknown path \
answers 404 \`NOT_FOUND\`, a known path with another method 405 \`METHOD_NOT_ALLOWED\` with the header \`Allow\`. \
The header \`Link\` of an error leads to [what its code means and what to do](/docs/errors).

**Limits.** Every answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; over the limit \
it is 429 with \`Retry-After\`. Public calls are counted by address, all others by credential.

**Changes.** Within \`/v1\`, answers may gain fields and enums may gain values; nothing is renamed or removed. \
Readers must ignore what they do not know.`,
}

/** The two kinds of credential; a route names those that it takes. */
export const SECURITY_SCHEMES = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'reg_sess_…',
    description: 'A session token from the sign-in. It lives 30 days and may do all that its operator may.',
  },
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'reg_live_…',
    description:
      'An API key with one or more permissions: `read` (see what is not public), `write` (change and report), ' +
      '`activity:report` (report only). A route lists the permissions of which one is enough.',
  },
} as const
