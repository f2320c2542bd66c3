import type { Permission } from '../../db/enums.ts'
import { QUOTAS } from '../../db/tiers.ts'
import type { Ctx } from '../../http/context.ts'
import { changeKey, createKey, requireKey, revokeApiKey } from '../../keys/manage.ts'
import { keyChanges, type platformKeyInput } from '../../keys/schema.ts'
import { type KeyOwner, requireKeys } from '../../keys/store.ts'
import type { Problems } from '../../pages/field.ts'
import { copyable, type Html, html, unbroken } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parse, parseQuery } from '../../pages/respond.ts'
import { idParam, regParam } from '../../wire/fields.ts'
import { pagesOnly } from '../../wire/page.ts'
import { EVENTS_ARE_PUBLIC, reportCommand } from '../agents/activity.ts'
import { attempt } from '../attempt.ts'
import { type Confirmation, confirmationFields, confirmationProblems } from '../confirm.ts'
import { type Crumb, empty, secretBox } from '../frame.ts'
import { done } from '../notice.ts'
import { alreadyShown, onceOf } from '../once.ts'
import { consolePages, type Sent } from '../router.ts'
import { form, showWithTrail } from '../shell.ts'
import {
  KEY_CHANGE_FIELDS,
  keyChangeFields,
  keyChangeInput,
  NEW_KEY_FIELDS,
  newKeyFields,
  newKeyInput,
} from './form.ts'
import { keyTable } from './table.ts'

/** The owner whose keys a set of pages manages, and the layout of these pages. */
interface KeyPlace {
  /** The path of the list, as a route pattern. */
  route: string
  /** The path of the list of an owner. */
  listPath: (owner: KeyOwner) => string
  ownerOf: (c: Ctx) => KeyOwner
  permissions: readonly Permission[]
  input: typeof platformKeyInput
  /** Renders the page around the list. */
  frame: (c: Ctx, list: () => Promise<Html>) => Promise<Response>
  /** The breadcrumbs up to and including the list. */
  trail: (owner: KeyOwner) => readonly Crumb[]
  /** Throws if the owner does not exist. */
  requireOwner?: (c: Ctx) => Promise<unknown>
  /** What these keys are for; shown above the list, and in place of an empty one. */
  purpose: Html
}

const keyParam = idParam('key_id', 'the API key')

const confirmationOf = (name: string): Confirmation => ({
  name: 'name',
  label: 'Name of the key',
  action: 'revoke it',
  expected: name,
  submit: 'Revoke key',
  keep: 'Keep the key',
})

/** The number of the agent for which a key is made, to show a command for it; empty without one. */
function regIn(text = ''): string {
  return regParam.safeParse({ reg: text }).success ? text : ''
}

const idOf = (c: Ctx) => parse(keyParam, c.req.param()).key_id

export function keyPages({
  route,
  listPath,
  ownerOf,
  permissions,
  input,
  frame,
  trail,
  purpose,
  requireOwner,
}: KeyPlace) {
  const listOf = (c: Ctx) => listPath(ownerOf(c))
  const mostOf = (c: Ctx) => QUOTAS[ownerOf(c).tier].key_requests_per_minute

  async function newKey(c: Ctx, sent?: Sent, problems?: Problems, status = 200) {
    return showWithTrail(c, trail(ownerOf(c)), {
      title: 'New API key',
      status,
      main: form(
        c,
        `${listOf(c)}/new`,
        html`<input type="hidden" name="reg" value="${regIn(sent?.fields.reg ?? c.req.query('reg'))}">${newKeyFields(permissions, mostOf(c), sent, problems)}`,
      ),
    })
  }

  async function oneKey(
    c: Ctx,
    key: { id: string; name: string; rate_limit_per_minute: number | string },
    problems?: Problems,
    status = 200,
  ) {
    const at = `${listOf(c)}/${key.id}`
    return showWithTrail(c, trail(ownerOf(c)), {
      title: 'Change API key',
      status,
      main: html`${form(c, at, keyChangeFields(key, mostOf(c), problems))}
<h2>Revoke</h2><p>Requests that use a revoked key are rejected immediately. This cannot be undone.</p>
<p><a class="button danger" href="${at}/revoke">Revoke key…</a></p>`,
    })
  }

  async function revocation(c: Ctx, key: { id: string; name: string }, typed = '', problems?: Problems) {
    const confirmation = confirmationFields(confirmationOf(key.name), listOf(c), typed, problems)
    const fields = html`<input type="hidden" name="expected" value="${key.name}">${confirmation}`
    return showWithTrail(c, [...trail(ownerOf(c)), [`${listOf(c)}/${key.id}`, key.name]], {
      title: 'Revoke API key',
      status: problems ? 400 : 200,
      main: html`<p>Requests that use this key are rejected immediately. This cannot be undone.</p>${form(c, `${listOf(c)}/${key.id}/revoke`, fields)}`,
    })
  }

  return consolePages()
    .page(route, (c) => {
      const page = parseQuery(c, pagesOnly)
      return frame(c, async () => {
        const { data, total } = await requireKeys(c.get('db'), ownerOf(c), page)
        const add = html`<a class="button first" href="${listOf(c)}/new">New key</a>`
        if (total === 0) return empty('No API keys', purpose, add)
        return html`<div class="split"><p>${purpose}</p>${add}</div>${keyTable(data, listOf(c), c.get('now')())}${pager(c, page, total)}`
      })
    })
    .page(`${route}/new`, async (c) => {
      await requireOwner?.(c)
      return newKey(c)
    })
    .action(
      `${route}/new`,
      async (c, sent) => {
        const owner = ownerOf(c)
        const repeatable = await onceOf(c, sent)
        const made = await attempt(NEW_KEY_FIELDS, () =>
          createKey(c.var, owner, parse(input, newKeyInput(sent)), c.get('now')(), repeatable),
        )
        if (!made.ok) return newKey(c, sent, made.problems, made.status)
        if (!made.value) {
          return alreadyShown(
            c,
            html`If you did not copy the key, revoke it and create another one: <a href="${listOf(c)}">API keys</a>.`,
          )
        }
        const { name, key } = made.value
        const reg = regIn(sent.fields.reg)
        return showWithTrail(c, trail(owner), {
          title: 'Your new API key',
          main: html`${secretBox(`Key “${name}”.`, key)}
${reg && html`<p>To report a completed task of <span class="number">${reg}</span> with it:</p>${copyable('curl', 'Command', unbroken(reportCommand(c.get('env').BASE_URL, reg, key)))}<p>${EVENTS_ARE_PUBLIC}</p>`}
<p>Other commands in this console read the key from <code>REG_KEY</code>. To set it in your shell:</p>${copyable('export', 'Command', `export REG_KEY=${key}`)}
<p>${reg && html`<a class="button first" href="/console/agents/${reg}">Back to the agent</a> `}<a class="button" href="${listOf(c)}">Back to the API keys</a></p>`,
        })
      },
      'strict',
    )
    .page(`${route}/:key_id`, async (c) => oneKey(c, await requireKey(c.get('db'), ownerOf(c), idOf(c))))
    .action(`${route}/:key_id`, async (c, sent) => {
      const id = idOf(c)
      const given = keyChangeInput(sent)
      const changed = await attempt(KEY_CHANGE_FIELDS, () =>
        changeKey(c.get('db'), ownerOf(c), id, parse(keyChanges, given), c.get('now')()),
      )
      if (!changed.ok) return oneKey(c, { id, ...given }, changed.problems, changed.status)
      return done(c, listOf(c), 'key-changed')
    })
    .page(`${route}/:key_id/revoke`, async (c) =>
      revocation(c, await requireKey(c.get('db'), ownerOf(c), idOf(c))),
    )
    .action(`${route}/:key_id/revoke`, async (c, sent) => {
      const { name, expected = '' } = sent.fields
      const id = idOf(c)
      const problems = confirmationProblems(confirmationOf(expected), name)
      if (problems) return revocation(c, { id, name: expected }, name, problems)
      await revokeApiKey(c.get('db'), ownerOf(c), id, c.get('now')())
      return done(c, listOf(c), 'key-revoked')
    })
}
