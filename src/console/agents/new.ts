import { registerAgent } from '../../agents/register.ts'
import { agentInput } from '../../agents/schema.ts'
import { requireCaller } from '../../credentials/authorize.ts'
import { tierAbove } from '../../db/tiers.ts'
import type { Ctx } from '../../http/context.ts'
import type { Problems } from '../../pages/field.ts'
import { count, type Html, html } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { attempt } from '../attempt.ts'
import { done } from '../notice.ts'
import { onceOf } from '../once.ts'
import { consolePages } from '../router.ts'
import { form, showWithTrail } from '../shell.ts'
import { AGENT_FIELDS, type AgentTexts, agentFields, newAgentSent } from './form.ts'
import { findRoom } from './store.ts'

const PATH = '/console/agents/new'
const TITLE = 'Register an agent'
const TRAIL = [['/console/agents', 'Agents']] as const

export const newAgentPages = consolePages()
  .page(PATH, async (c) => {
    const room = await findRoom(c.get('db'), requireCaller(c).operator_id)
    if (room.active_agents < room.agent_limit) return formPage(c, {})
    return showWithTrail(c, TRAIL, {
      title: TITLE,
      main: html`${fullNote(room.agent_limit)}<p><a class="button" href="/console/agents?status=active">Active agents</a></p>`,
    })
  })
  .action(PATH, async (c, sent) => {
    const repeatable = await onceOf(c, sent)
    const added = await attempt(AGENT_FIELDS, () =>
      registerAgent(c, parse(agentInput, newAgentSent(sent)), repeatable),
    )
    if (!added.ok) return formPage(c, sent.fields, added.problems, added.status)
    const { agent, prior } = added.value
    const { reg } = agent ?? (prior.answer as { reg: string }) // as stored by the first registration
    return done(c, `/console/agents/${reg}`, 'agent-registered')
  })

async function formPage(c: Ctx, texts: AgentTexts, problems?: Problems, status = 200): Promise<Response> {
  const fields = html`${agentFields({ class: 'A', ...texts }, problems, true)}<button>Register agent</button>`
  return showWithTrail(c, TRAIL, {
    title: TITLE,
    status,
    main: html`<p>The agent gets a permanent, public number. Its name and texts can be changed later.</p>
<p>Your operator ID is public on each of your agents and <strong>links them to each other permanently</strong>, even after they are deactivated. <a href="/docs/verification#what-remains-public">What remains public</a></p>${form(c, PATH, fields)}`,
  })
}

/** What an operator can do who has as many active agents as the tier allows. */
function fullNote(limit: number): Html {
  const higher = tierAbove('active_agents', limit)
  return html`<div class="note warn"><p><strong>You have ${count(limit)} active agents, as many as your tier allows.</strong></p>
<p>Deactivate one that you no longer need, which is permanent${higher && html`, or ask the administrator of this registry to upgrade you to ${higher}`}.</p></div>`
}
