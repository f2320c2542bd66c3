import { toShown } from '../lib/text.ts'
import { NAME_MAX } from '../wire/fields.ts'

const ID_TAIL = 6

/**
 * The person's name from the claims of the identity provider, or null. A name that contains an @, or equals the part of the
 * email address before it, counts as none: some providers send the address when they know no name.
 */
export function claimedName(claim: unknown, email: string): string | null {
  const name = toShown(claim, NAME_MAX)
  const isAddress = name?.normalize('NFKC').includes('@') || name === email.split('@', 1)[0]
  return isAddress ? null : name
}

/** The public name of an operator that has not set one. It does not reveal the email address. */
export function defaultName(operatorId: string): string {
  return `Operator ${operatorId.slice(-ID_TAIL)}`
}
