import type { operators } from '../db/schema.ts'
import { isSameJson, withoutUndefined } from '../lib/json.ts'
import type { OperatorChanges } from './schema.ts'

type Operator = typeof operators.$inferSelect

/** The values of an operator that it can change, as they were read. */
export type Changeable = Pick<
  Operator,
  'name' | 'company_name' | 'company_url' | 'avatar_url' | 'notification_prefs' | 'mail_opt_outs'
>

/** A change of an operator. */
export interface ChangePlan {
  /** The values that were given; of the notification preferences, only those. */
  given: Partial<
    Omit<Changeable, 'notification_prefs'> & { notification_prefs: Partial<Changeable['notification_prefs']> }
  >
  /** Those that change. */
  fields: (keyof Changeable)[]
}

/**
 * Decides a change of an operator.
 *
 * @returns null if all values are already set
 */
export function planChange(
  found: Changeable,
  { notification_prefs, mail_opt_outs, ...texts }: OperatorChanges,
): ChangePlan | null {
  const given: ChangePlan['given'] = withoutUndefined({
    ...texts,
    notification_prefs: notification_prefs && withoutUndefined(notification_prefs),
    mail_opt_outs: mail_opt_outs && [...new Set(mail_opt_outs)].sort(),
  })
  const merged = {
    ...given,
    ...(given.notification_prefs && {
      notification_prefs: { ...found.notification_prefs, ...given.notification_prefs },
    }),
  }
  const names = Object.keys(given) as (keyof Changeable)[] // the schema drops other keys
  const fields = names.filter((name) => !isSameJson(merged[name], found[name]))
  return fields.length > 0 ? { given, fields } : null
}
