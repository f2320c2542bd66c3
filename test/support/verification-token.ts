import type { Body } from './harness.ts'

/** The claims of a token, unverified. */
export function tokenParts(token: string): { header: Body; claims: Body } {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') }
}
