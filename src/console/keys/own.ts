import { PERMISSIONS } from '../../db/enums.ts'
import { ownKeyOwner } from '../../keys/routes.ts'
import { keyInput } from '../../keys/schema.ts'
import { html } from '../../pages/html.ts'
import { show } from '../shell.ts'
import { keyPages } from './pages.ts'

const PATH = '/console/keys'

export const ownKeyPages = keyPages({
  route: PATH,
  listPath: () => PATH,
  ownerOf: ownKeyOwner,
  permissions: PERMISSIONS,
  input: keyInput,
  frame: async (c, list) => show(c, { title: 'API keys', main: html`<h1>API keys</h1>${await list()}` }),
  trail: () => [[PATH, 'API keys']],
  purpose: html`Programs use a key to report events of your agents, and to read what is not public.`,
})
