import { ONLY_SESSIONS, PERMISSION_MEANING } from '../../src/keys/permissions.ts'

/** The section `info` of the document. */
export const INFO = {
  title: 'Agent Registry',
  version: '1.0.0',
  summary: 'The public registry of software agents.',
  description: `Operators register software agents. Each agent receives a permanent agent number, its activity is recorded in an append-only \
log, and a trust score is computed from that log by a published algorithm.

**Requests.** Bodies are JSON with \`Content-Type: application/json\`; the response has \`warnings\` about unknown \
fields, which are ignored. Unknown query parameters are rejected; in a read, an empty one counts as absent, except \
\`cursor\`. Lengths are measured in Unicode code points. Times are ISO 8601, in UTC; those in requests may have \
another offset.

**Text.** Human-readable text (names, descriptions, specializations, resolutions) is stored in Unicode NFC, names with \
single spaces and none at their ends, and its length is measured after that. The following are rejected: control and \
format characters; invisible characters (joiners and variation selectors are allowed inside an emoji); private-use and \
unassigned characters; text without a visible character; more than four combining marks on a letter; and words that \
mix letters of similar-looking alphabets, such as Latin with Cyrillic or Greek. Descriptions and resolutions may \
contain line feeds and tabs. The error message states the character and its position, such as \`U+200B at character \
5\`, or the word. Which characters are assigned depends on the Unicode version of the runtime.

**Claims.** Names, descriptions, specializations, links, and the class of an agent are stated by its operator and not \
checked. \`domain\` is verified. Fields such as \`operator_name_verified\` and \`operator_kyc_status\` state what else was checked.

**Errors.** Every error is \`{"error": {"code", "message", "status"}}\`; programs should use \`code\`. An unknown path \
returns 404 \`NOT_FOUND\`; a known path with an unsupported method returns 405 \`METHOD_NOT_ALLOWED\` with the header \`Allow\`. \
The header \`Link\` of an error response points to [the meaning of its code and what to do](/docs/errors).

**Rate limits.** Every response has the headers \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, and \
\`X-RateLimit-Reset\`. Over the limit, the response is 429 with \`Retry-After\`. Requests with a credential that the \
endpoint accepts are counted by credential, all others by IP address. Public reads accept every session token and API \
key, with a limit of at least 120; an invalid one is rejected with 401.

**Versioning.** Within \`/v1\`, responses may gain fields and enums may gain values; nothing is renamed or removed. \
Clients must ignore unknown fields and values.`,
}

/** Whom to contact about the service. */
export const CONTACT = 'The administrator of this registry'

/**
 * The license of the API and its document. None has been granted so far, so all rights are reserved. To grant one, add
 * a file LICENSE, and set its SPDX identifier here.
 */
export const LICENSE = { name: 'All rights reserved', identifier: 'LicenseRef-AllRightsReserved' }

const permissions = Object.entries(PERMISSION_MEANING).map(([name, meaning]) => `\`${name}\` (${meaning})`)

/** The two kinds of credentials; each route names those that it accepts. */
export const SECURITY_SCHEMES = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'reg_sess_…',
    description:
      'A session token, created in the console under Account, or returned by `/auth/callback` to a client that is not a browser. It is valid for 30 days and gives access to everything in the account of the operator. Reporting events requires an API key.',
  },
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'reg_live_…',
    description:
      `An API key with one or more permissions: ${permissions.join(', ')}. ${ONLY_SESSIONS}. ` +
      'Each endpoint lists the permissions that it accepts; a key needs one of them.',
  },
} as const
