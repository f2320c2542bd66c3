import { prefetched, requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { challengeAgent } from '../../ownership/challenge.ts'
import { checkOwnership, readOwnership } from '../../ownership/check.ts'
import { fileContent, fileUrl, recordName, recordValue } from '../../ownership/proof.ts'
import { challengeInput } from '../../ownership/schema.ts'
import { type Challenge, endChallenge } from '../../ownership/store.ts'
import { MISSES_MAX } from '../../ownership/terms.ts'
import { fieldsOf, NO_PROBLEMS, type Problems, REQUIRED } from '../../pages/field.ts'
import { copyable, day, type Html, html, when } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { agentNotFound } from '../../wire/agent-number.ts'
import { attempt } from '../attempt.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { button, form } from '../shell.ts'
import { AGENT, agentPath, hideForeign, regOf, requireOwnAnd, showTab } from './frame.ts'
import { findOwnOwnership } from './store.ts'

const TAB = '/domain'
const CHALLENGE_FIELDS = ['domain', 'method']
const METHODS = [
  ['dns', 'DNS record'],
  ['http', 'File on its website'],
] as const

interface ProofForm {
  domain?: string | undefined
  method?: string | undefined
  problems?: Problems
}

/** The domain of an agent: its verified domain, the proof to publish, and the form that requests a challenge. */
export const agentDomainPages = consolePages()
  .page(`${AGENT}${TAB}`, (c) => domainPage(c))
  .action(`${AGENT}${TAB}`, async (c, { fields: { domain, method } }) => {
    const reg = regOf(c)
    const challenged = await attempt(
      CHALLENGE_FIELDS,
      hideForeign(reg, () =>
        challengeAgent(c, reg, parse(challengeInput, { domain: hostIn(domain), method })),
      ),
    )
    if (challenged.ok) return done(c, agentPath(reg, TAB), 'challenge-made')
    return domainPage(c, { domain, method, problems: challenged.problems }, challenged.status)
  })
  .action(
    `${AGENT}${TAB}/check`,
    async (c) => {
      const reg = regOf(c)
      const ownership = prefetched(c, readOwnership)
      const checked = await attempt(
        [],
        hideForeign(reg, () => checkOwnership(c, reg, ownership)),
      )
      if (checked.ok) return done(c, agentPath(reg, TAB), 'domain-proved')
      const wasLookedFor = ownership?.pending && new Date(ownership.pending.expires_at) > c.get('now')()
      return wasLookedFor
        ? done(c, agentPath(reg, TAB), 'domain-missed')
        : domainPage(c, { problems: checked.problems }, checked.status)
    },
    'strict',
    readOwnership,
  )
  .action(`${AGENT}${TAB}/cancel`, async (c) => {
    const reg = regOf(c)
    const ended = await endChallenge(c.get('db'), reg, requireCaller(c).operator_id, c.get('now')())
    return done(c, agentPath(reg, TAB), ended ? 'challenge-ended' : undefined)
  })

/** The host of a pasted URL, or the text itself. */
function hostIn(text = ''): string {
  const given = text.trim()
  return /^https?:\/\//i.test(given) && URL.canParse(given) ? new URL(given).hostname : given
}

async function domainPage(c: Ctx, sent: ProofForm = {}, status = 200): Promise<Response> {
  const reg = regOf(c)
  const [own, ownership] = await requireOwnAnd(
    c,
    findOwnOwnership(c.get('db'), requireCaller(c).operator_id, reg),
  )
  if (!ownership) throw agentNotFound(reg)
  const { pending, verified } = ownership
  const now = c.get('now')()
  return showTab(
    c,
    own,
    TAB,
    html`${verified ? verifiedNote(verified, now) : html`<p>A verified domain shows everyone that this agent is yours, and makes its links public.</p>`}
${pending && pendingCard(c, reg, pending, now)}
${own.agent.status === 'active' && challengeForm(c, agentPath(reg, TAB), sent, verified ? 'Verify another domain' : 'Verify a domain', pending !== null)}`,
    status,
  )
}

function verifiedNote({ domain, method, verified_at, checked_at, misses }: Challenge, now: Date): Html {
  const missed =
    misses > 0 &&
    html` <strong class="warn">${misses > 1 ? html`The last ${misses} checks` : 'The last check'} did not find it; after ${MISSES_MAX} failed checks in a row, the domain is no longer verified.</strong>`
  return html`<p><span class="good">✓</span> <strong>${domain}</strong> has been verified by a ${method === 'dns' ? 'DNS record' : 'file'} since ${day(verified_at ?? '')}. Keep it published: it is checked again every week${checked_at && html`, last ${when(checked_at, now)}`}.${missed}</p>`
}

function pendingCard(c: Ctx, reg: string, pending: Challenge, now: Date): Html {
  const { domain, method, expires_at, checked_at, finding } = pending
  const isOver = Date.parse(expires_at) <= now.getTime()
  const path = agentPath(reg, TAB)
  const proof = { ...pending, reg }
  const shown =
    method === 'dns'
      ? html`<p>Add this TXT record to the DNS of ${domain}. It can take a few minutes to become visible.</p>
${copyable('record-name', 'Name', recordName(domain))}${copyable('record-value', 'TXT value', recordValue(proof))}`
      : html`<p>Publish this file as <code>application/json</code>, without a redirect.</p>
${copyable('file-url', 'URL', fileUrl(domain))}${copyable('file-content', 'Content', JSON.stringify(fileContent(proof)))}`
  const found =
    checked_at &&
    html`<p class="warn" role="status">Last check ${when(checked_at, now)}: ${finding ?? 'not found'}.</p>`
  return html`<div class="card"><h3>Publish this for ${domain}</h3>
${isOver ? html`<p class="warn">This challenge expired on ${day(expires_at)}. Create a new one below.</p>` : html`${shown}${found}<p class="hint">Valid until ${day(expires_at)}.</p>`}
<div class="row">${!isOver && button(c, `${path}/check`, 'Check now', 'first')}${button(c, `${path}/cancel`, 'Cancel')}</div></div>`
}

function challengeForm(
  c: Ctx,
  path: string,
  { domain, method = 'dns', problems = NO_PROBLEMS }: ProofForm,
  label: string,
  isPending: boolean,
): Html {
  const { note, text, choice } = fieldsOf({ domain, method }, problems)
  const fields = html`${note}<div class="columns">${text('domain', 'Domain', 'Or any URL on it', REQUIRED)}${choice('method', 'Verified by', METHODS)}</div>
<p><button${isPending && html` class="light"`}>Create challenge</button></p>`
  const isOpen = !isPending || problems !== NO_PROBLEMS
  return html`<details${isOpen && html` open`}><summary>${isPending ? 'Verify another domain instead' : label}</summary>${form(c, path, fields)}</details>`
}
