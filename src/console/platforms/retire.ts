import type { Ctx } from '../../http/context.ts'
import type { Problems } from '../../pages/field.ts'
import { html } from '../../pages/html.ts'
import { retire } from '../../platforms/manage.ts'
import { type Confirmation, confirmationFields, confirmationProblems } from '../confirm.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { PLATFORM, pathOf, platformOf, readPlatform, showBelow } from './frame.ts'

/** The form that retires a platform; the operator must type its slug. */
export const platformRetirePages = consolePages()
  .page(`${PLATFORM}/retire`, async (c) => retirePage(c, await readPlatform(c)))
  .action(`${PLATFORM}/retire`, async (c, sent) => {
    const platform = platformOf(c)
    const { slug } = sent.fields
    const problems = confirmationProblems(confirmationOf(platform.slug), slug)
    if (problems) return retirePage(c, platform, slug, problems)
    await retire(c.get('db'), platform, c.get('now')())
    return done(c, pathOf(platform), 'platform-retired')
  })

const confirmationOf = (slug: string): Confirmation => ({
  name: 'slug',
  label: 'Slug of the platform',
  action: 'retire it',
  expected: slug,
  submit: 'Retire platform',
  keep: 'Keep it active',
})

function retirePage(c: Ctx, platform: { slug: string; name?: string }, typed = '', problems?: Problems) {
  const fields = confirmationFields(confirmationOf(platform.slug), pathOf(platform), typed, problems)
  return showBelow(c, platform, {
    title: 'Retire the platform',
    status: problems ? 400 : 200,
    main: html`<ul><li>Its API keys are revoked.</li><li>No more webhooks are sent; pending ones are skipped.</li>
<li>It accepts no more agents. Its current agents remain, are shown as being on a retired platform, and can leave immediately.</li><li>Its slug remains reserved.</li></ul>
<p>This cannot be undone.</p>${form(c, pathOf(platform, '/retire'), fields)}`,
  })
}
