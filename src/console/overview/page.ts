import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { copyable, count, counted, type Html, html, severityTag, when } from '../../pages/html.ts'
import { kycText } from '../account/sections.ts'
import { EVENTS_ARE_PUBLIC, reportCommand } from '../agents/activity.ts'
import { agentTable } from '../agents/list.ts'
import { stateTag, sumList } from '../frame.ts'
import { consolePages } from '../router.ts'
import { form, show } from '../shell.ts'
import { firstSteps, type Step, skip, skippedIn } from './steps.ts'
import { type Overview, readOverview } from './store.ts'

const SKIP = '/console/skip'

/** The first page after a sign-in: what needs attention, then sums and agents. */
export const overviewPages = consolePages()
  .page('/console', async (c) => {
    const now = c.get('now')()
    const overview = await readOverview(c.get('db'), requireCaller(c).operator_id, now)
    const steps = firstSteps(overview, skippedIn(c))
    const { sums, agents } = overview
    return show(c, {
      title: 'Overview',
      main: html`<div class="split"><h1>Overview</h1>${sums.agent_count > 0 && html`<a class="button" href="/console/agents/new">Register an agent</a>`}</div>
${troubles(overview, now)}${steps.length > 0 && checklist(c, overview, steps)}
${
  sums.agent_count > 0 &&
  html`${sumsOf(overview)}<section aria-labelledby="agents"><div class="split"><h2 id="agents">Agents</h2>${sums.agent_count > agents.length && html`<a href="/console/agents">All ${count(sums.agent_count)}</a>`}</div>
${agentTable(agents, now)}</section>`
}`,
    })
  })
  .action(SKIP, (c, { fields }) => {
    skip(c, fields.step ?? '')
    return c.redirect('/console', 303)
  })

function troubles({ operator, sums, facts, agents }: Overview, now: Date): Html {
  const { incidents, webhooks } = facts
  const more = sums.open_incident_count - incidents.length
  const kyc = operator.kyc_status !== 'verified' && sums.agent_count > 0
  const isQuiet = incidents.length === 0 && webhooks.length === 0
  return html`${
    incidents.length > 0 &&
    html`<section class="note bad" aria-labelledby="incidents"><h2 id="incidents">${counted(sums.open_incident_count, 'open incident')}</h2><ul class="stack">${incidents.map(
      ({ reg, agent_name, title, severity, created_at }) =>
        html`<li>${severityTag(severity)} <a href="/console/agents/${reg}/incidents"><bdi>${title}</bdi></a> <span class="hint"><bdi>${agent_name}</bdi>, ${when(created_at, now)}</span></li>`,
    )}</ul>${more > 0 && html`<p class="hint">and ${count(more)} more</p>`}</section>`
  }
${
  webhooks.length > 0 &&
  html`<section class="note bad" aria-labelledby="webhooks"><h2 id="webhooks">Failing webhooks</h2><ul class="stack">${webhooks.map(
    ({ slug, name, disabled, failing_since }) =>
      html`<li>${stateTag(disabled ? 'disabled' : 'failing')} <a href="/console/platforms/${slug}"><bdi>${name}</bdi></a>${failing_since && html` <span class="hint">since ${when(failing_since, now)}</span>`}</li>`,
  )}</ul></section>`
}
${agents.length > 0 && isQuiet && html`<p><span class="good">✓</span> No open incidents, no failing webhooks.</p>`}
${kyc && html`<p><a href="/console/account#kyc">Identity check</a> ${stateTag(operator.kyc_status)} ${kycText(operator)}</p>`}`
}

function sumsOf({ sums }: Overview): Html {
  const { average_trust_score: score, tasks_completed, tasks_failed } = sums
  const tasks = tasks_completed + tasks_failed
  return sumList([
    ['Active agents', count(sums.active_agent_count)],
    ['Average score', score === null ? '–' : score.toFixed(1)],
    ['Tasks', count(tasks)],
    ['Completed', tasks === 0 ? '–' : `${((100 * tasks_completed) / tasks).toFixed(1)}%`],
    ['Incidents', count(sums.incident_count)],
  ])
}

/** The checklist of first steps; only the next one has instructions. */
function checklist(c: Ctx, { facts, sums }: Overview, steps: readonly Step[]): Html {
  const next = steps.find(({ isDone, isSkipped }) => !isDone && !isSkipped)
  const doneCount = steps.filter(({ isDone }) => isDone).length
  return html`<section class="card" aria-labelledby="first"><div class="split"><h2 id="first">${sums.agent_count > 0 ? 'Next steps' : 'Welcome'}</h2><span class="hint">${doneCount} of ${steps.length} done</span></div><ol class="steps">${steps.map(
    (step) =>
      html`<li${step.isDone && html` class="good"`}><strong>${LABEL[step.name]}</strong>${stateOf(step)}${step === next && html`<div>${advice(c, step.name, facts.first_reg)}${skipForm(c, step)}</div>`}</li>`,
  )}</ol></section>`
}

function stateOf({ isDone, isSkipped }: Step): Html | false {
  return (isDone || isSkipped) && html` <span class="hint">${isDone ? 'done' : 'skipped'}</span>`
}

function skipForm(c: Ctx, { name }: Step): Html {
  const fields = html`<input type="hidden" name="step" value="${name}"><button class="light small">Skip this step</button>`
  return form(c, SKIP, fields, 'inline')
}

const LABEL: Record<Step['name'], string> = {
  name: 'Set your name',
  agent: 'Register your first agent',
  domain: 'Verify your domain',
  key: 'Create an API key',
  report: 'Report the first event',
  platform: 'Let a platform report',
}

function advice(c: Ctx, step: Step['name'], reg: string | null): Html {
  const agent = (tab: string) => `/console/agents${reg ? `/${reg}${tab}` : ''}`
  switch (step) {
    case 'name':
      return html`<p>Your name is public and shown on each of your agents.</p><p><a class="button first" href="/console/account">Set your name</a></p>`
    case 'agent':
      return html`<p>It gets a permanent number that anyone can look up.</p><p><a class="button first" href="/console/agents/new">Register an agent</a></p>`
    case 'domain':
      return html`<p>One DNS record shows everyone that the agent is yours.</p><p><a class="button first" href="${agent('/domain')}">Verify a domain</a></p>`
    case 'key':
      return html`<p>Your agent uses it to report events.</p><p><a class="button first" href="/console/keys/new${reg && `?reg=${reg}`}">Create an API key</a></p>`
    case 'report':
      return html`<p>Run this with your key in <code>REG_KEY</code>; the score appears after a few tasks. ${EVENTS_ARE_PUBLIC}</p>${reg && copyable('curl', 'Command', reportCommand(c.get('env').BASE_URL, reg))}`
    case 'platform':
      return html`<p>Your own reports lead to a score of at most 59. With those of a platform of another person, it can rise further, once your identity is checked.</p><p><a class="button first" href="/console/account#kyc">Verify your identity</a> <a class="button" href="${agent('/settings#platform')}">Choose a platform</a></p>`
  }
}
