import { toShown } from '../lib/text.ts'
import { NAME_MAX } from '../wire/fields.ts'

const ID_TAIL = 6

/**
 * The person's name as the identity provider claims it; null when it claims none. Providers that know no name put the
 * email address there, or the part before its @.
 */
export function claimedName(claim: unknown, email: string): string | null {
  const name = toShown(claim, NAME_MAX)
  const isAddress = name?.normalize('NFKC').includes('@') || name === email.split('@', 1)[0]
  return isAddress ? null : name
}

/** The public name of an operator until somebody sets one: nothing of the email address is in it. */
export function defaultName(operatorId: string): string {
  return `Operator ${operatorId.slice(-ID_TAIL)}`
}
