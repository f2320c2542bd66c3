import type { Permission } from '../../db/enums.ts'
import { POLICIES } from '../../http/limits.ts'
import { ONLY_SESSIONS, PERMISSION_MEANING } from '../../keys/permissions.ts'
import { fieldsOf, type Problems, REQUIRED } from '../../pages/field.ts'
import { type Html, html } from '../../pages/html.ts'
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

const limitHint = (most: number) => `From 1 to ${most}, the maximum of your tier`
const LIMIT = { type: 'number', required: true }
const EXPIRY_HINT =
  'The key is rejected from 00:00 UTC of this day. Without a date, it is valid until it is revoked.'

export function newKeyFields(
  allowed: readonly Permission[],
  most: number,
  sent?: Sent,
  problems?: Problems,
): Html {
  const values = { rate_limit_per_minute: POLICIES.key.limit, ...sent?.fields }
  const { note, text, checks } = fieldsOf(values, problems)
  const permissions = allowed.map((one) => [one, `${one}: ${PERMISSION_MEANING[one]}`] as const)
  const ticked = sent ? sent.all('permissions') : ['activity:report']
  return html`${note}${text('name', 'Name', 'Where the key is used, for example “worker, production”', REQUIRED)}
${checks('permissions', 'Permissions', permissions, ticked, `${ONLY_SESSIONS}.`)}
${text('rate_limit_per_minute', 'Requests per minute', limitHint(most), LIMIT)}
${text('expires_at', 'Expires on', EXPIRY_HINT, { type: 'date' })}<button>Create key</button>`
}

export function keyChangeFields(
  key: { name: string; rate_limit_per_minute: string | number },
  most: number,
  problems?: Problems,
): Html {
  const { name, rate_limit_per_minute } = key
  const { note, text } = fieldsOf({ name, rate_limit_per_minute }, problems)
  return html`${note}${text('name', 'Name', '', REQUIRED)}${text('rate_limit_per_minute', 'Requests per minute', limitHint(most), LIMIT)}<button>Save changes</button>`
}
