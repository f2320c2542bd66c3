import { requireSession } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { renewalOf } from '../../kyc/terms.ts'
import { fieldsOf, type Problems, REQUIRED } from '../../pages/field.ts'
import { day, type Html, html, section, sentence, when } from '../../pages/html.ts'
import { table } from '../../pages/table.ts'
import { makeFormToken, NONCE_FIELD, TOKEN_FIELD } from '../form-token.ts'
import { live, stateTag } from '../frame.ts'
import { button, form } from '../shell.ts'
import type { Account } from './store.ts'

export const KYC_PATH = '/console/account/kyc'
export const MAIL_PATH = '/console/account/mail'
const SESSIONS_PATH = '/console/account/sessions'

/** The state of the identity check, and the link that starts one. */
export async function kycSection(c: Ctx, { operator, check }: Account): Promise<Html> {
  const { kyc_status, kyc_expires_at } = operator
  const now = c.get('now')()
  const isRenewable = kyc_expires_at !== null && renewalOf(new Date(kyc_expires_at)) <= now
  const label =
    check?.status === 'pending'
      ? 'Continue the check'
      : kyc_status === 'verified'
        ? 'Renew'
        : 'Verify my identity'
  const isOpen = kyc_status !== 'verified' || isRenewable || check?.status === 'pending'
  const content = html`<p>${stateTag(kyc_status)} ${kycText(operator, check)}</p>
${isOpen && html`<p><a class="button" href="${await signedLink(c, KYC_PATH)}">${label}</a></p><p class="hint">Opens Stripe, which asks for a photo of your document and a selfie. The registry stores neither.</p>`}`
  return section('kyc', 'Identity', live(content, kyc_status === 'pending'))
}

/** What the state of the identity check means; with the reason, if the last check is given and has failed. */
export function kycText(
  { kyc_status, kyc_expires_at, name_verified }: Account['operator'],
  check?: Account['check'],
): Html | string {
  switch (kyc_status) {
    case 'verified':
      return html`Valid until ${day(kyc_expires_at ?? '')}.${!name_verified && ' Your name has changed since then and is shown as not checked.'}`
    case 'pending':
      return 'Your documents are being checked, or you have not completed the check yet.'
    case 'failed':
      return html`The last check failed${check?.reason ? html`: <bdi>${sentence(check.reason)}</bdi>` : '.'}`
    case 'expired':
      return 'The last check has expired.'
    case 'unverified':
      return 'After the check, each of your agents shows that your identity is verified. Reports of platforms about your agents, and of your platforms about agents of others, can then count as attested.'
  }
}

/** A link that performs an action in the console: it carries the form token and nonce in its query. */
async function signedLink(c: Ctx, path: string): Promise<string> {
  const { token, nonce } = await makeFormToken(c, path)
  return `${path}?${new URLSearchParams({ [TOKEN_FIELD]: token, [NONCE_FIELD]: nonce })}`
}

/** A note that the email address was rejected, with a button to use it again; empty if it was not rejected. */
export function mailNote(c: Ctx, { operator }: Account): Html | '' {
  const { email, mail_refused_at } = operator
  if (mail_refused_at === null) return ''
  return html`<div class="note warn"><p><strong>No email is sent to ${email}.</strong> On ${day(mail_refused_at)}, the address was rejected, or an email to it was reported as spam. Your notifications are still <a href="/console/notifications">in the console</a>.</p>
<p>Sign in with another address or, if this address accepts email again:</p>${button(c, MAIL_PATH, 'Email me again')}</div>`
}

/** The operator's active sessions, including the tokens of programs. */
export function sessionSection(c: Ctx, { sessions }: Account): Html {
  const { session_id: own } = requireSession(c)
  const now = c.get('now')()
  const rows = sessions.map(({ id, name, user_agent, created_at, expires_at }) => {
    const end = html`<button class="light" aria-label="Revoke the session ${name ?? browserOf(user_agent)}">Revoke</button>`
    const what = name
      ? html`<bdi>${name}</bdi> ${stateTag('program')}`
      : html`${browserOf(user_agent)}${id === own && html` ${stateTag('active', 'this one')}`}`
    return html`<tr><th scope="row">${what}<div class="hint">Started ${when(created_at, now)}, expires on ${day(expires_at)}</div></th><td class="n">${id !== own && form(c, `${SESSIONS_PATH}/${id}/end`, end)}</td></tr>`
  })
  const endings = html`${button(c, `${SESSIONS_PATH}/end-others`, 'Revoke all others')}${button(c, `${SESSIONS_PATH}/end-all`, 'Sign out everywhere')}`
  const content = html`${table('Sessions', 'Session | ', rows)}<div class="row">${endings}</div>`
  return section('sessions', 'Sessions', content)
}

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** Browser and operating system from a user agent, as in "Firefox on Linux". */
function browserOf(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  return browser ? `${browser}${system ? ` on ${system}` : ''}` : 'Another program'
}

export function tokenSection(c: Ctx, token_name = '', problems?: Problems): Html {
  const { note, text } = fieldsOf({ token_name }, problems)
  const fields = html`${note}<div class="row">${text('token_name', 'Name of the program', '', REQUIRED)}<button>Create token</button></div>`
  const content = html`<p>A session token gives a program access to everything in your account for 30 days. To report events, create an <a href="/console/keys">API key</a> instead.</p>
${form(c, '/console/account/tokens', fields)}`
  return section('tokens', 'Token for a program', content)
}
