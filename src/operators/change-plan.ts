import type { operators } from '../db/schema.ts'
import type { OperatorChanges } from './schema.ts'

type Operator = typeof operators.$inferSelect

/** The values of an operator that it can change, as they were read. */
export type Changeable = Pick<
  Operator,
  'name' | 'company_name' | 'company_url' | 'avatar_url' | 'notification_prefs' | 'mail_opt_outs'
>

/**
 * Decides a change of an operator. Notification preferences are merged into the stored ones. Changing the name ends its
 * verification.
 *
 * @returns the values that change, and their names; null if none does
 */
export function planChange(
  found: Changeable,
  { notification_prefs, mail_opt_outs, ...texts }: OperatorChanges,
) {
  const wanted: { [Field in keyof Changeable]?: Changeable[Field] | undefined } = {
    ...texts,
    ...(notification_prefs && {
      notification_prefs: { ...found.notification_prefs, ...withoutUndefined(notification_prefs) },
    }),
    ...(mail_opt_outs && { mail_opt_outs: [...new Set(mail_opt_outs)].sort() }),
  }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && !isSame(value, found[name as keyof Changeable]),
  )
  if (changed.length === 0) return null
  const set: Partial<Operator> = Object.fromEntries(changed)
  return {
    set: { ...set, ...(set.name !== undefined && { name_verified_at: null }) },
    fields: changed.map(([name]) => name),
  }
}

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Safe, because only the undefined values are left out. */
function withoutUndefined<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** Whether two JSON values are equal; objects, if their keys are in the same order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
