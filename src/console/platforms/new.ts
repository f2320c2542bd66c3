import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { attempt, type Problems } from '../../pages/field.ts'
import { html } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { registerPlatform } from '../../platforms/manage.ts'
import { platformInput } from '../../platforms/schema.ts'
import { crumbs, secretBox } from '../frame.ts'
import { alreadyShown, onceOf } from '../once.ts'
import { consolePages } from '../router.ts'
import { form, show } from '../shell.ts'
import { type Filled, PLATFORM_FIELDS, platformFields, platformSent, UNFILLED } from './fields.ts'
import { PLATFORMS, pathOf } from './frame.ts'

const NEW = `${PLATFORMS}/new`
const TITLE = 'Register a platform'

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
    return show(c, {
      title: 'Platform registered',
      main: html`${crumbs([PLATFORMS, 'Platforms'])}<h1>Platform registered</h1>
${secretBox('Webhook secret', webhook_secret)}
<p>Every webhook to <bdi>${name}</bdi> is signed with it. <a href="/docs/webhooks">How to verify a signature</a></p>
<p class="row"><a class="button first" href="${at}">${webhook_url ? 'Send a test event' : 'Open the platform'}</a><a class="button" href="${at}/keys/new">Create an API key</a></p>`,
    })
  })

function formPage(c: Ctx, filled: Filled = UNFILLED, problems?: Problems, status = 200) {
  return show(c, {
    title: TITLE,
    status,
    main: html`${crumbs([PLATFORMS, 'Platforms'])}<h1>${TITLE}</h1>${form(
      c,
      NEW,
      html`${platformFields(filled, problems, true)}<button>Register platform</button>`,
    )}`,
  })
}
