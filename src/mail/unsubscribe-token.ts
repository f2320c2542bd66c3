import { MAIL_OPT_OUTS, type MailOptOut } from '../db/enums.ts'
import { fromBase64, hmacSha256, isSame } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'

const PURPOSE = 'unsubscribe'
const MAC_HEX = 32 // 128 bits
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z_]+)\.([0-9a-f]{32})$/

/** The operator and type that a link unsubscribes. */
export interface Subscription {
  operator_id: string
  type: MailOptOut
}

/**
 * A token that only unsubscribes an operator from mails of a type. It does not expire: people keep old mails.
 *
 * @param identityKey IDENTITY_KEY, which is never rotated: 32 bytes in base64
 */
export async function makeUnsubscribeToken(identityKey: string, subscription: Subscription): Promise<string> {
  const { operator_id, type } = subscription
  return `${operator_id}.${type}.${await macOf(identityKey, subscription)}`
}

/** The subscription in a token; null if the token is invalid. */
export async function readUnsubscribeToken(identityKey: string, token: string): Promise<Subscription | null> {
  const [, operator_id = '', name = '', mac = ''] = TOKEN.exec(token) ?? []
  const type = MAIL_OPT_OUTS.find((known) => known === name)
  if (!type) return null
  const subscription = { operator_id, type }
  return isSame(mac, await macOf(identityKey, subscription)) ? subscription : null
}

/** Uses a derived key: no other MAC made with IDENTITY_KEY can be a valid token. */
async function macOf(identityKey: string, { operator_id, type }: Subscription): Promise<string> {
  const derived = await hmacSha256(fromBase64(identityKey), PURPOSE)
  return toHex(await hmacSha256(derived, `${operator_id}.${type}`)).slice(0, MAC_HEX)
}
