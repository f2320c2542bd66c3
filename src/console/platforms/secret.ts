import { timeOf } from '../../lib/ids.ts'
import { problemNote } from '../../pages/field.ts'
import { type Html, html, left, minute } from '../../pages/html.ts'
import { rotateWebhookSecret } from '../../platforms/manage.ts'
import { attempt } from '../attempt.ts'
import { secretBox } from '../frame.ts'
import { alreadyShown } from '../once.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { PLATFORM, pathOf, platformOf, readPlatform, type ShownPlatform, showBelow } from './frame.ts'

const TITLE = 'Rotate the webhook secret'

export const platformSecretPages = consolePages()
  .page(`${PLATFORM}/secret`, async (c) => {
    const platform = await readPlatform(c)
    const isRotating = platform.previous_secret_expires_at !== null
    return showBelow(c, platform, {
      title: TITLE,
      main: html`${secretState(platform, c.get('now')())}
<p>The new secret is shown once. For 24 hours, <code>webhook-signature</code> also contains a signature made with the previous secret, so that you can deploy the new one. <code>X-REG-Signature</code> uses the new secret immediately.</p>
${isRotating && html`<div class="note warn"><p>Webhooks are still also signed with the previous secret. Another rotation makes it invalid immediately.</p></div>`}
${form(c, pathOf(platform, '/secret'), html`<button>Rotate secret</button>`)}`,
    })
  })
  .action(`${PLATFORM}/secret`, async (c, sent) => {
    const platform = platformOf(c)
    const now = c.get('now')()
    const rotated = await attempt([], () => rotateWebhookSecret(c.var, platform, now, timeOf(sent.nonce)))
    const back = pathOf(platform, '/settings')
    if (!rotated.ok) {
      return showBelow(c, platform, {
        title: TITLE,
        status: rotated.status,
        main: html`${problemNote(rotated.problems)}`,
      })
    }
    if (!rotated.value) {
      return alreadyShown(
        c,
        html`If you did not copy the secret, rotate it again: <a href="${pathOf(platform, '/secret')}">Rotate the webhook secret</a>.`,
      )
    }
    const { webhook_secret, previous_secret_expires_at: until } = rotated.value
    return showBelow(c, platform, {
      title: 'Your new webhook secret',
      main: html`${secretBox('Webhook secret', webhook_secret)}
<p>Webhooks are also signed with the previous secret until ${minute(until)} (${left(until, now)} left).</p>
<p><a class="button" href="${back}">Back to the settings</a></p>`,
    })
  })

/** The secrets that currently sign a platform's webhooks. */
export function secretState({ previous_secret_expires_at: until }: ShownPlatform, now: Date): Html {
  return until
    ? html`<p>Webhooks are signed with two secrets: the new one, and the previous one until ${minute(until)} (${left(until, now)} left).</p>`
    : html`<p>All webhooks are signed with one secret. It was shown once, when it was created, and cannot be shown again.</p>`
}
