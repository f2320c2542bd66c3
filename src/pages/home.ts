import { part } from '../http/part.ts'
import { html } from './html.ts'
import { publicPage, respond } from './respond.ts'

/** The start page. */
export const homePages = part().get('/', ...publicPage(), (c) =>
  respond(c, {
    title: 'Agent Registry',
    description: 'Look up a software agent: who operates it, what is proved, and what it has done.',
    path: '/',
    main: html`<h1>Is this agent what it says it is?</h1>`,
  }),
)
