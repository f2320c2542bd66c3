import { addKey, revokeAgentKey } from '../../agent-keys/manage.ts'
import { agentKeyInput, kidParam, revocationQuery } from '../../agent-keys/schema.ts'
import { findAgentKey, listAgentKeys, type ShownKey } from '../../agent-keys/store.ts'
import { KEY_REASONS } from '../../db/enums.ts'
import { ApiError } from '../../errors.ts'
import type { Ctx } from '../../http/context.ts'
import { readChangeable } from '../../members/prefetch.ts'
import { fieldsOf, type Problems } from '../../pages/field.ts'
import { copyable, type Html, html, section, when } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parse, parseQuery } from '../../pages/respond.ts'
import { pagesOnly } from '../../wire/page.ts'
import { attempt } from '../attempt.ts'
import { keyState } from '../keys/table.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { AGENT, agentPath, hideForeign, regOf, requireOwnAnd, showBelow, showTab } from './frame.ts'

const TAB = '/keys'
const KEYS = `${AGENT}${TAB}`
const MEANING = {
  rotated: 'rotated: replaced by another key',
  compromised: 'compromised: someone else may have it',
  unused: 'unused: no longer needed',
} as const satisfies Record<(typeof KEY_REASONS)[number], string>
const REASONS = KEY_REASONS.map((reason) => [reason, MEANING[reason]] as const)
const REASON_HINT = 'Public, and permanently in the transparency log'
const PROOF_HINT = 'What the command above prints; valid for 10 minutes'

const keysPath = (reg: string) => agentPath(reg, TAB)
const kidOf = (c: Ctx) => parse(kidParam, c.req.param()).kid

/** The keys with which an agent signs its requests. A private key is never sent to the console. */
export const agentKeyPages = consolePages()
  .page(KEYS, (c) => keysPage(c))
  .action(
    KEYS,
    async (c, { fields: { proof = '' } }) => {
      const reg = regOf(c)
      const added = await attempt(
        ['proof'],
        hideForeign(reg, () => addKey(c, reg, parse(agentKeyInput, { proof: proof.trim() }))),
      )
      if (added.ok) return done(c, keysPath(reg), 'agent-key-added')
      return keysPage(c, { status: added.status, proof, problems: added.problems })
    },
    'strict',
    readChangeable,
  )
  .page(`${KEYS}/:kid/revoke`, (c) => revocation(c))
  .action(
    `${KEYS}/:kid/revoke`,
    async (c, { fields }) => {
      const reg = regOf(c)
      const { reason } = parse(revocationQuery, { reason: fields.reason })
      await hideForeign(reg, () => revokeAgentKey(c, { reg, kid: kidOf(c) }, reason))()
      return done(c, keysPath(reg), 'agent-key-revoked')
    },
    'session',
    readChangeable,
  )

async function keysPage(
  c: Ctx,
  { status = 200, proof, problems }: { status?: number; proof?: string; problems?: Problems } = {},
): Promise<Response> {
  const reg = regOf(c)
  const page = parseQuery(c, pagesOnly)
  const now = c.get('now')()
  const [own, listed] = await requireOwnAnd(c, listAgentKeys(c.get('db'), reg, page, now))
  const { data, total } = listed ?? { data: [], total: 0 }
  const { note, text } = fieldsOf({ proof }, problems)
  const fields = html`${note}${text('proof', 'Proof', PROOF_HINT, { required: true, lines: 4 })}<button>Register key</button>`
  return showTab(
    c,
    own,
    TAB,
    html`<p>With a key of its own, the agent signs its requests, and receivers know who is calling: <a href="/docs/signed-requests">Signed requests</a>.</p>
${total === 0 ? html`<p class="quiet">This agent has no keys yet.</p>` : html`<ul class="stack">${data.map((key) => keyCard(key, reg, now))}</ul>${pager(c, page, total)}`}
${
  own.agent.status === 'active' &&
  section(
    'add',
    'Register a key',
    html`<p>On the machine of the agent, make a key and prove that it is there. The private key stays on that machine; never paste it anywhere.</p>
${copyable('command', 'Makes a key, and prints the proof', `agentreg agent-keys proof ${reg} --base-url ${c.get('env').BASE_URL}`)}
${form(c, keysPath(reg), fields)}`,
  )
}`,
    status,
  )
}

function keyCard(key: ShownKey, reg: string, now: Date): Html {
  return html`<li class="card"><h2><code class="wrap">${key.kid}</code></h2>
<p>${keyState(key, now)} <span class="hint">· registered ${when(key.added_at, now)}</span></p>
${key.status !== 'revoked' && html`<p><a href="${keysPath(reg)}/${key.kid}/revoke">Revoke…</a></p>`}</li>`
}

async function revocation(c: Ctx): Promise<Response> {
  const [reg, kid] = [regOf(c), kidOf(c)]
  const [own, key] = await requireOwnAnd(c, findAgentKey(c.get('db'), kid, c.get('now')()))
  if (key?.reg !== reg) throw new ApiError('NOT_FOUND', `agent ${reg} has no key ${kid}`)
  const { choice } = fieldsOf({})
  const fields = html`${choice('reason', 'Reason', REASONS, REASON_HINT)}<div class="row"><button class="danger">Revoke key</button><a class="button" href="${keysPath(reg)}">Keep the key</a></div>`
  return showBelow(c, own, TAB, {
    title: 'Revoke this key',
    main: html`<p><code class="wrap">${kid}</code></p>
<div class="note warn"><p><strong>This cannot be undone.</strong> Requests signed with this key are rejected, by most receivers within 5 minutes, and the key cannot be registered again.</p></div>
<p>If someone else may have the private key, also <a href="/console/account">revoke your other sessions</a>.</p>
${form(c, `${keysPath(reg)}/${kid}/revoke`, fields)}`,
  })
}
