import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import type { Repeatable } from '../idempotency/store.ts'
import { sha256 } from '../lib/crypto.ts'
import { type Html, html } from '../pages/html.ts'
import type { Sent } from './router.ts'
import { show } from './shell.ts'

/** The idempotency scope of a form: the nonce of the page it was filled in on, so that a second submission does nothing. */
export async function onceOf(c: Ctx, { nonce }: Sent): Promise<Repeatable> {
  const actor = requireCaller(c)
  const scope = await sha256(`${actor.operator_id} form ${nonce}`)
  return { actor, scope, body_sha256: '', now: c.get('now')() }
}

/** The page for a repeated submission of a form whose first response showed a secret. */
export function alreadyShown(c: Ctx, advice: Html): Promise<Response> {
  return show(c, {
    title: 'Already shown',
    main: html`<h1>Already shown</h1>
<div class="note"><p>This form was already submitted. Its result was shown once and cannot be shown again. Nothing new was created.</p></div>
<p>${advice}</p>`,
    status: 409,
  })
}
