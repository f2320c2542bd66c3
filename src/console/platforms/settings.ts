import type { Ctx } from '../../http/context.ts'
import type { Problems } from '../../pages/field.ts'
import { html } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { changePlatform } from '../../platforms/manage.ts'
import { platformChanges } from '../../platforms/schema.ts'
import { attempt } from '../attempt.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { type Filled, PLATFORM_FIELDS, platformFields, platformSent } from './fields.ts'
import {
  PLATFORM,
  pathOf,
  platformOf,
  readPlatform,
  type ShownPlatform,
  showBelow,
  showTab,
} from './frame.ts'
import { secretState } from './secret.ts'

export const platformSettingsPages = consolePages()
  .page(`${PLATFORM}/settings`, async (c) => {
    const platform = await readPlatform(c)
    if (platform.status === 'retired') return showTab(c, platform, '/settings', RETIRED)
    return settingsTab(c, platform)
  })
  .action(`${PLATFORM}/settings`, async (c, sent) => {
    const platform = platformOf(c)
    const { slug, ...filled } = platformSent(sent)
    const changed = await attempt(PLATFORM_FIELDS, () =>
      changePlatform(c.var, platform, parse(platformChanges, filled), c.get('now')()),
    )
    if (changed.ok) return done(c, pathOf(platform, '/settings'), 'platform-changed')
    return showBelow(c, platform, {
      title: 'Settings',
      status: changed.status,
      main: fieldsForm(c, platform.slug, { slug, ...filled }, changed.problems),
    })
  })

const RETIRED = html`<p>This platform is retired: it cannot be changed, and its slug remains reserved.</p>`

function settingsTab(c: Ctx, platform: ShownPlatform) {
  const at = (below: string) => pathOf(platform, below)
  return showTab(
    c,
    platform,
    '/settings',
    html`<h2>Settings</h2>${fieldsForm(c, platform.slug, platform)}
<h2>Webhook secret</h2>${secretState(platform, c.get('now')())}
<p><a class="button" href="${at('/secret')}">Rotate secret…</a></p>
<h2>Retire</h2><p>A retired platform accepts no agents, cannot report, and receives no webhooks. Its API keys are revoked. This is permanent.</p>
<p><a class="button danger" href="${at('/retire')}">Retire platform…</a></p>`,
  )
}

function fieldsForm(c: Ctx, slug: string, filled: Filled, problems?: Problems) {
  return form(
    c,
    pathOf({ slug }, '/settings'),
    html`${platformFields(filled, problems)}<button>Save changes</button>`,
  )
}
