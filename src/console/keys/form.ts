import type { Permission } from '../../db/enums.ts'
import { POLICIES } from '../../http/limits.ts'
import { ONLY_SESSIONS, PERMISSION_MEANING } from '../../keys/permissions.ts'
import { type Html, html } from '../../pages/html.ts'
import { checkFields, NO_PROBLEMS, type Problems, problemNote, textField } from '../field.ts'
import type { Sent } from '../router.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/

export const NEW_KEY_FIELDS = ['name', 'permissions', 'rate_limit_per_minute', 'expires_at']
export const KEY_CHANGE_FIELDS = ['name', 'rate_limit_per_minute']

export function newKeyInput({ fields, all }: Sent) {
  const { name = '', rate_limit_per_minute = '', expires_at = '' } = fields
  return {
    name,
    permissions: all('permissions'),
    ...(rate_limit_per_minute && { rate_limit_per_minute: limitIn(rate_limit_per_minute) }),
    ...(expires_at && { expires_at: DAY.test(expires_at) ? `${expires_at}T00:00:00Z` : expires_at }),
  }
}

export function keyChangeInput({ fields: { name = '', rate_limit_per_minute = '' } }: Sent) {
  return { name, rate_limit_per_minute: limitIn(rate_limit_per_minute) }
}

const limitIn = (text: string) => (/^\d{1,10}$/.test(text) ? Number(text) : text)

function limitField(value: string | number, most: number, problems: Problems): Html {
  return textField(
    {
      name: 'rate_limit_per_minute',
      label: 'Requests per minute',
      hint: `From 1 to ${most}, the maximum of your tier`,
      value: String(value),
      problems,
    },
    { type: 'number', required: true },
  )
}

export function newKeyFields(
  allowed: readonly Permission[],
  most: number,
  sent?: Sent,
  problems: Problems = NO_PROBLEMS,
): Html {
  const { name, rate_limit_per_minute = POLICIES.key.limit, expires_at } = sent?.fields ?? {}
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
    { name: 'permissions', label: 'Permissions', hint: `${ONLY_SESSIONS}.`, problems },
    allowed.map((one) => [one, `${one}: ${PERMISSION_MEANING[one]}`] as const),
    sent ? sent.all('permissions') : [allowed.includes('activity:report') ? 'activity:report' : 'read'],
  )}${limitField(rate_limit_per_minute, most, problems)}${textField(
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

export function keyChangeFields(
  { name, rate_limit_per_minute }: { name: string; rate_limit_per_minute: string | number },
  most: number,
  problems: Problems = NO_PROBLEMS,
): Html {
  return html`${problemNote(problems)}${textField(
    { name: 'name', label: 'Name', value: name, problems },
    { required: true },
  )}${limitField(rate_limit_per_minute, most, problems)}<button>Save changes</button>`
}
