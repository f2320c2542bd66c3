import { NOTIFICATION_TYPES, type NotificationType } from '../db/enums.ts'
import { fromBase64, hmacSha256, isSame } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'

const PURPOSE = 'unsubscribe'
const MAC_HEX = 32 // 128 bits
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z_]+)\.([0-9a-f]{32})$/

/** Of what a link unsubscribes, and whom. */
export interface Subscription {
  operator_id: string
  type: NotificationType
}

/**
 * A token that unsubscribes an operator from mails of a type, and can do nothing else. It has no end: mails are kept.
 *
 * @param identityKey IDENTITY_KEY, which is never rotated: 32 bytes in base64
 */
export async function makeUnsubscribeToken(identityKey: string, subscription: Subscription): Promise<string> {
  const { operator_id, type } = subscription
  return `${operator_id}.${type}.${await macOf(identityKey, subscription)}`
}

/** Of what a token unsubscribes; null when it is none of ours. */
export async function readUnsubscribeToken(identityKey: string, token: string): Promise<Subscription | null> {
  const [, operator_id = '', name = '', mac = ''] = TOKEN.exec(token) ?? []
  const type = NOTIFICATION_TYPES.find((known) => known === name)
  if (!type) return null
  const subscription = { operator_id, type }
  return isSame(mac, await macOf(identityKey, subscription)) ? subscription : null
}

/** Under a key of its own, so that nothing else that the setting is used for makes a token. */
async function macOf(identityKey: string, { operator_id, type }: Subscription): Promise<string> {
  const own = new Uint8Array(await hmacSha256(fromBase64(identityKey), PURPOSE))
  return toHex(await hmacSha256(own, `${operator_id}.${type}`)).slice(0, MAC_HEX)
}
