import { platformKeyInput } from '../../keys/schema.ts'
import { html } from '../../pages/html.ts'
import { keyPages } from '../keys/pages.ts'
import { PLATFORM, PLATFORMS, pathOf, platformOf, readPlatform, readPlatformAnd, showTab } from './frame.ts'

export const platformKeyPages = keyPages({
  route: `${PLATFORM}/keys`,
  listPath: ({ slug }) => pathOf({ slug: slug ?? '' }, '/keys'),
  ownerOf: platformOf,
  requireOwner: readPlatform,
  permissions: ['read', 'activity:report'],
  input: platformKeyInput,
  purpose: html`With these keys, your platform reports events for the agents on it and reads their logs.`,
  trail: ({ slug }) => [
    [PLATFORMS, 'Platforms'],
    [pathOf({ slug: slug ?? '' }), slug ?? ''],
    [pathOf({ slug: slug ?? '' }, '/keys'), 'API keys'],
  ],
  frame: async (c, list) => {
    const [platform, main] = await readPlatformAnd(c, list())
    return showTab(c, platform, '/keys', html`<h2>API keys</h2>${main}`)
  },
})
