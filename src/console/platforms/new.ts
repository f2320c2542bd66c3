import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import type { Problems } from '../../pages/field.ts'
import { html } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { registerPlatform } from '../../platforms/manage.ts'
import { platformInput } from '../../platforms/schema.ts'
import { attempt } from '../attempt.ts'
import { secretBox } from '../frame.ts'
import { alreadyShown, onceOf } from '../once.ts'
import { consolePages } from '../router.ts'
import { form, showWithTrail } from '../shell.ts'
import { type Filled, PLATFORM_FIELDS, platformFields, platformSent, UNFILLED } from './fields.ts'
import { PLATFORMS, pathOf } from './frame.ts'

const NEW = `${PLATFORMS}/new`
const TRAIL = [[PLATFORMS, 'Platforms']] as const

/** The form that registers a platform. Its response is the only one that shows the webhook secret. */
export const newPlatformPages = consolePages()
  .page(NEW, (c) => formPage(c))
  .action(NEW, async (c, sent) => {
    const filled = platformSent(sent)
    const repeatable = await onceOf(c, sent)
    const made = await attempt(PLATFORM_FIELDS, () =>
      registerPlatform(c.var, requireCaller(c), parse(platformInput, filled), c.get('now')(), repeatable),
    )
    if (!made.ok) return formPage(c, filled, made.problems, made.status)
    if (!made.value) {
      return alreadyShown(
        c,
        html`The platform is registered. If you did not copy its webhook secret, rotate it: <a href="${PLATFORMS}">Platforms</a>.`,
      )
    }
    const { webhook_secret, name, webhook_url } = made.value
    const at = pathOf(made.value)
    return showWithTrail(c, TRAIL, {
      title: 'Platform registered',
      main: html`${secretBox('Webhook secret', webhook_secret)}
<p>Every webhook to <bdi>${name}</bdi> is signed with it. <a href="/docs/webhooks">How to verify a signature</a></p>
<p class="row"><a class="button first" href="${at}">${webhook_url ? 'Send a test event' : 'Open the platform'}</a><a class="button" href="${at}/keys/new">Create an API key</a></p>`,
    })
  })

function formPage(c: Ctx, filled: Filled = UNFILLED, problems?: Problems, status = 200) {
  const fields = html`${platformFields(filled, problems, true)}<button>Register platform</button>`
  return showWithTrail(c, TRAIL, {
    title: 'Register a platform',
    status,
    main: form(c, NEW, fields),
  })
}
