import type { Permission } from '../../db/enums.ts'
import { type Html, html } from '../../pages/html.ts'
import { checkFields, NO_PROBLEMS, type Problems, problemNote, textField } from '../field.ts'
import type { Sent } from '../router.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The form fields of a new key that an error message can name. */
export const NEW_KEY_FIELDS = ['name', 'permissions', 'expires_at']
/** The form fields of a key change that an error message can name. */
export const KEY_CHANGE_FIELDS = ['name', 'rate_limit_per_minute']

const MEANING: Record<Permission, string> = {
  read: 'read: read data that is not public',
  write: 'write: change data and report events',
  'activity:report': 'activity:report: only report events',
}

/** The API input for a new key, from a submitted form. */
export function newKeyInput({ fields, all }: Sent) {
  const { name = '', expires_at = '' } = fields
  return {
    name,
    permissions: all('permissions'),
    ...(expires_at && { expires_at: DAY.test(expires_at) ? `${expires_at}T00:00:00Z` : expires_at }),
  }
}

/** The API input for a key change, from a submitted form. */
export function keyChangeInput({ fields: { name = '', rate_limit_per_minute = '' } }: Sent) {
  const limit = /^\d{1,10}$/.test(rate_limit_per_minute)
    ? Number(rate_limit_per_minute)
    : rate_limit_per_minute
  return { name, rate_limit_per_minute: limit }
}

/** The form fields of a new key, empty or with the submitted values. */
export function newKeyFields(
  allowed: readonly Permission[],
  sent?: Sent,
  problems: Problems = NO_PROBLEMS,
): Html {
  const { name, expires_at } = sent?.fields ?? {}
  return html`${problemNote(problems)}${textField(
    {
      name: 'name',
      label: 'Name',
      hint: 'Where the key is used, for example “worker, production”',
      value: name,
      problems,
    },
    { required: true },
  )}${checkFields(
    { name: 'permissions', label: 'Permissions', problems },
    allowed.map((one) => [one, MEANING[one]] as const),
    sent ? sent.all('permissions') : [allowed.includes('activity:report') ? 'activity:report' : 'read'],
  )}${textField(
    {
      name: 'expires_at',
      label: 'Expires on',
      hint: 'The key is rejected from 00:00 UTC of this day. Without a date, it is valid until it is revoked.',
      value: expires_at,
      problems,
    },
    { type: 'date' },
  )}<button>Create key</button>`
}

/** The form fields of a key change. */
export function keyChangeFields(
  { name, rate_limit_per_minute }: { name: string; rate_limit_per_minute: string | number },
  most: number,
  problems: Problems = NO_PROBLEMS,
): Html {
  return html`${problemNote(problems)}${textField(
    { name: 'name', label: 'Name', value: name, problems },
    { required: true },
  )}${textField(
    {
      name: 'rate_limit_per_minute',
      label: 'Requests per minute',
      hint: `From 1 to ${most}, the maximum of your tier`,
      value: String(rate_limit_per_minute),
      problems,
    },
    { type: 'number', required: true },
  )}<button>Save changes</button>`
}
