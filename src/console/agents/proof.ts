import type { Ctx } from '../../http/context.ts'
import { isWithin } from '../../lib/host.ts'
import { fileContent, fileUrl, recordName, recordValue } from '../../ownership/proof.ts'
import type { Challenge } from '../../ownership/store.ts'
import { MISSES_MAX } from '../../ownership/terms.ts'
import { copyable, day, type Html, html, when } from '../../pages/html.ts'
import { NO_PROBLEMS, type Problems, problemNote, selectField, textField } from '../field.ts'
import { form } from '../shell.ts'
import type { OwnAgent } from './store.ts'

/** The form fields of a challenge that an error message can name. */
export const CHALLENGE_FIELDS = ['domain', 'method']

/** The submitted values of a rejected challenge form, and its problems. */
export interface ProofForm {
  domain?: string | undefined
  method?: string | undefined
  problems?: Problems
}

/** The domain of an agent: its verified domain, the proof to publish, and the form that requests a challenge. */
export async function proofSection(c: Ctx, { agent, ownership }: OwnAgent, sent: ProofForm): Promise<Html> {
  const { pending, verified } = ownership
  const now = c.get('now')()
  const path = `/console/agents/${agent.reg}/domain`
  const isActive = agent.status === 'active'
  return html`<section aria-labelledby="domain-proof"><h2 id="domain-proof">Domain</h2>
${verified ? verifiedNote(verified, now) : html`<p>A verified domain shows everyone that this agent is yours, and makes its links public.</p>`}
${pending && (await pendingCard(c, agent.reg, pending, now))}
${isActive && (await challengeForm(c, path, sent, verified ? 'Verify another domain' : 'Verify a domain', pending !== null))}</section>`
}

function verifiedNote({ domain, method, verified_at, checked_at, misses }: Challenge, now: Date): Html {
  const missed =
    misses > 0 &&
    html` <strong class="warn">${misses > 1 ? html`The last ${misses} checks` : 'The last check'} did not find it; after ${MISSES_MAX} failed checks in a row, the domain is no longer verified.</strong>`
  return html`<p><span class="good">✓</span> <strong>${domain}</strong> has been verified by a ${method === 'dns' ? 'DNS record' : 'file'} since ${day(verified_at ?? '')}. Keep it published: it is checked again every week${checked_at && html`, last ${when(checked_at, now)}`}.${missed}</p>`
}

async function pendingCard(c: Ctx, reg: string, pending: Challenge, now: Date): Promise<Html> {
  const { domain, method, expires_at, checked_at, finding } = pending
  const isOver = Date.parse(expires_at) <= now.getTime()
  const path = `/console/agents/${reg}/domain`
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
<div class="row">${!isOver && (await form(c, `${path}/check`, html`<button>Check now</button>`))}${await form(c, `${path}/cancel`, html`<button class="light">Cancel</button>`)}</div></div>`
}

async function challengeForm(
  c: Ctx,
  path: string,
  { domain, method = 'dns', problems = NO_PROBLEMS }: ProofForm,
  label: string,
  isPending: boolean,
): Promise<Html> {
  const fields = html`${problemNote(problems)}<div class="row">${textField(
    { name: 'domain', label: 'Domain', value: domain, problems },
    { required: true },
  )}${selectField({ name: 'method', label: 'Verified by', value: method, problems }, [
    ['dns', 'DNS record'],
    ['http', 'File on its website'],
  ])}</div>
<p><button${isPending && html` class="light"`}>Create challenge</button></p>`
  const isOpen = !isPending || problems !== NO_PROBLEMS
  return html`<details${isOpen && html` open`}><summary>${isPending ? 'Verify another domain instead' : label}</summary>${await form(c, path, fields)}</details>`
}

/** Why a link of an agent is not public; empty if it is public, or there is no link. */
export function linkNote(domain: string | null, url: string | null): string {
  if (url === null) return ''
  if (domain === null) return 'not public: no domain is verified'
  return isWithin(new URL(url).hostname, domain)
    ? ''
    : `not public: its host is neither ${domain} nor a subdomain of it`
}
