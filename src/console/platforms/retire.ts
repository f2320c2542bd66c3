import type { Ctx } from '../../http/context.ts'
import { html } from '../../pages/html.ts'
import { endPlatform } from '../../platforms/manage.ts'
import { NO_PROBLEMS, problemNote, textField } from '../field.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { PLATFORM, pathOf, platformOf, readPlatform, showBelow } from './frame.ts'

/** The end of a platform, which asks for its slug. */
export const platformRetirePages = consolePages()
  .page(`${PLATFORM}/retire`, async (c) => retirePage(c, await readPlatform(c)))
  .action(`${PLATFORM}/retire`, async (c, sent) => {
    const platform = platformOf(c)
    const { slug = '' } = sent.fields
    if (slug.trim() !== platform.slug) {
      const problems = { fields: { slug: 'must be the slug of the platform, exactly' }, rest: [] }
      return retirePage(c, platform, slug, problems)
    }
    await endPlatform(c.get('db'), platform, c.get('now')())
    return done(c, pathOf(platform), 'platform-retired')
  })

function retirePage(c: Ctx, platform: { slug: string; name?: string }, typed = '', problems = NO_PROBLEMS) {
  const fields = html`${problemNote(problems)}${textField(
    {
      name: 'slug',
      label: 'Slug of the platform',
      hint: html`To retire it, type <strong class="number">${platform.slug}</strong>`,
      value: typed,
      problems,
    },
    { required: true },
  )}<button class="danger">Retire platform</button>`
  return showBelow(c, platform, {
    title: 'Retire the platform',
    status: problems === NO_PROBLEMS ? 200 : 400,
    main: html`<ul><li>Its API keys are revoked.</li><li>No webhook is sent any more; what waits is skipped.</li>
<li>It takes no agents. Those on it stay, shown as on a retired platform, and may leave at once.</li><li>Its slug stays taken.</li></ul>
<p>This cannot be undone.</p>${form(c, pathOf(platform, '/retire'), fields)}`,
  })
}
