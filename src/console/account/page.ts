import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import type { Problems } from '../../pages/field.ts'
import { html, section } from '../../pages/html.ts'
import { form, show } from '../shell.ts'
import { prefsFields, profileFields } from './form.ts'
import { kycSection, mailNote, sessionSection, tokenSection } from './sections.ts'
import { readAccount } from './store.ts'

/** A rejected form, shown on the page with its problems. */
interface Rejected {
  status?: number
  profile?: { sent: Readonly<Record<string, string>>; problems: Problems }
  token?: { sent: string | undefined; problems: Problems }
}

export async function accountPage(
  c: Ctx,
  { status = 200, profile, token }: Rejected = {},
): Promise<Response> {
  const account = await readAccount(c.get('db'), requireCaller(c).operator_id, c.get('now')())
  return show(c, {
    title: 'Account',
    status,
    main: html`<h1>Account</h1>
<p>Signed in as <strong>${account.operator.email}</strong>. <a href="/operators/${account.operator.id}">Your public page</a></p>
<p class="hint">Your tier is ${account.operator.tier}, which sets your <a href="/docs/api#quotas">quotas</a>. For more, ask the administrator of this registry.</p>
${mailNote(c, account)}
<div class="columns">${section('profile', 'Profile', form(c, '/console/account', profileFields(profile?.sent ?? account.operator, profile?.problems)))}
<div>${kycSection(c, account)}
${section('notify', 'Notifications', form(c, '/console/account/notifications', prefsFields(account)))}</div></div>
${sessionSection(c, account)}
${tokenSection(c, token?.sent, token?.problems)}`,
  })
}
