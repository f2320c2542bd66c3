import { requireSession } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { fromBase64, hasSignature, hmacSha256, toBase64 } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { type Html, html } from '../pages/html.ts'

export const TOKEN_FIELD = '_token'
export const NONCE_FIELD = '_nonce'
const PURPOSE = 'form'

/**
 * The anti-forgery token of a form: a MAC over the session, the path it submits to, and a nonce. The nonce is new each time
 * the form is shown.
 */
export async function makeFormToken(c: Ctx, action: string): Promise<{ token: string; nonce: string }> {
  const nonce = uuidv7(c.get('now')())
  const [key] = c.get('env').CREDENTIALS_KEY
  if (!key) throw new Error('CREDENTIALS_KEY names no key')
  return { token: toBase64(await hmacSha256(fromBase64(key), signed(c, action, nonce))), nonce }
}

/**
 * The token and nonce as hidden form fields.
 *
 * @param action the path that the form is sent to
 */
export async function formToken(c: Ctx, action: string): Promise<Html> {
  const { token, nonce } = await makeFormToken(c, action)
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}"><input type="hidden" name="${NONCE_FIELD}" value="${nonce}">`
}

/** Verifies a token against this session and the path of this request: returns its nonce, or null. */
export async function readFormToken(c: Ctx, token: string, nonce: string): Promise<string | null> {
  for (const key of c.get('env').CREDENTIALS_KEY) {
    if (await hasSignature([token], fromBase64(key), signed(c, c.req.path, nonce), toBase64)) return nonce
  }
  return null
}

function signed(c: Ctx, action: string, nonce: string): string {
  return [PURPOSE, requireSession(c).session_id, action, nonce].join('\n')
}
