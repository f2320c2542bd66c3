import type { Ctx } from '../http/context.ts'
import { type Html, html } from '../pages/html.ts'
import { respond } from '../pages/respond.ts'
import { formToken } from './form-token.ts'
import { type Crumb, crumbs } from './frame.ts'
import { noticeNote } from './notice.ts'

const SIGN_OUT = '/console/sign-out'

export interface ConsolePage {
  title: string
  /** Contains one `h1`, unless the page has breadcrumbs. */
  main: Html
  status?: number
}

/** Renders a page of the console, with its navigation and a sign-out button. */
export async function show(c: Ctx, { title, main, status = 200 }: ConsolePage): Promise<Response> {
  const caller = c.get('caller')
  const shown = caller?.kind === 'session' && caller.account
  const account = shown && { ...shown, signOut: button(c, SIGN_OUT, 'Sign out') }
  return respond(
    c,
    { title, path: c.req.path, main: html`${noticeNote(c)}${main}` },
    { status, area: 'console', ...(account && { account }) },
  )
}

/** Renders a page below others: with breadcrumbs, and its title as the heading of `main`. */
export function showWithTrail(c: Ctx, trail: readonly Crumb[], page: ConsolePage): Promise<Response> {
  return show(c, { ...page, main: html`${crumbs(...trail)}<h1>${page.title}</h1>${page.main}` })
}

/** A form that submits to a path of the console, with its token. */
export function form(c: Ctx, action: string, fields: Html, kind?: 'inline'): Html {
  return html`<form method="post" action="${action}"${kind && html` class="${kind}"`}>${formToken(c, action)}${fields}</form>`
}

export function button(c: Ctx, action: string, label: string, kind: 'light' | 'first' = 'light') {
  return form(c, action, html`<button${kind === 'light' && html` class="light"`}>${label}</button>`, 'inline')
}
