import { changeAgent } from '../../agents/change.ts'
import { agentChanges } from '../../agents/schema.ts'
import { prefetched, requireCaller } from '../../credentials/authorize.ts'
import { ApiError } from '../../errors.ts'
import type { Ctx } from '../../http/context.ts'
import { endIncident, incidentNotFound } from '../../incidents/resolve.ts'
import { resolutionInput } from '../../incidents/schema.ts'
import { readChangeable } from '../../members/prefetch.ts'
import { challengeAgent } from '../../ownership/challenge.ts'
import { checkOwnership, readOwnership } from '../../ownership/check.ts'
import { challengeInput } from '../../ownership/schema.ts'
import { endChallenge } from '../../ownership/store.ts'
import { html } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { agentNotFound } from '../../wire/agent-number.ts'
import { idParam } from '../../wire/fields.ts'
import { type Confirmation, confirmationFields, confirmationProblems } from '../confirm.ts'
import { attempt, emptyToNull, NO_PROBLEMS, type Problems } from '../field.ts'
import { crumbs } from '../frame.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form, show } from '../shell.ts'
import { AGENT_FIELDS, agentSent } from './form.ts'
import { agentPage, regOf, requireOwn } from './page.ts'
import { CHALLENGE_FIELDS } from './proof.ts'

const AGENT = '/console/agents/:reg'
const incidentParam = idParam('id', 'the incident')

const pathOf = (reg: string, part = '') => `/console/agents/${reg}${part}`

/**
 * Replaces FORBIDDEN with NOT_FOUND: the console does not reveal that an agent belongs to another operator.
 *
 * @param missing the error to throw instead
 */
export function hideForeign<T>(
  reg: string,
  work: () => Promise<T>,
  missing = agentNotFound(reg),
): () => Promise<T> {
  return () =>
    work().catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'FORBIDDEN' ? missing : error
    })
}

/** The page of an agent, and its forms. */
export const agentPages = consolePages()
  .page(AGENT, (c) => agentPage(c))
  .action(
    AGENT,
    async (c, sent) => {
      const reg = regOf(c)
      const changed = await attempt(
        AGENT_FIELDS,
        hideForeign(reg, () =>
          changeAgent(c, reg, parse(agentChanges, agentSent(sent)), prefetched(c, readChangeable)),
        ),
      )
      if (changed.ok) return done(c, pathOf(reg), 'agent-changed')
      return agentPage(c, {
        status: changed.status,
        texts: { sent: sent.fields, problems: changed.problems },
      })
    },
    'session',
    readChangeable,
  )
  .action(
    `${AGENT}/platform`,
    async (c, { fields }) => {
      const reg = regOf(c)
      const platform_slug = emptyToNull(fields.platform_slug)
      const changed = await attempt(
        ['platform_slug'],
        hideForeign(reg, () =>
          changeAgent(c, reg, parse(agentChanges, { platform_slug }), prefetched(c, readChangeable)),
        ),
      )
      if (changed.ok) return done(c, pathOf(reg), 'agent-changed')
      const platform = { sent: platform_slug ?? '', problems: changed.problems }
      return agentPage(c, { status: changed.status, platform })
    },
    'session',
    readChangeable,
  )
  .action(`${AGENT}/domain`, async (c, { fields: { domain, method } }) => {
    const reg = regOf(c)
    const challenged = await attempt(
      CHALLENGE_FIELDS,
      hideForeign(reg, () =>
        challengeAgent(c, reg, parse(challengeInput, { domain: domain?.trim(), method })),
      ),
    )
    if (challenged.ok) return done(c, pathOf(reg), 'challenge-made')
    return agentPage(c, {
      status: challenged.status,
      proof: { domain, method, problems: challenged.problems },
    })
  })
  .action(
    `${AGENT}/domain/check`,
    async (c) => {
      const reg = regOf(c)
      const ownership = prefetched(c, readOwnership)
      const checked = await attempt(
        [],
        hideForeign(reg, () => checkOwnership(c, reg, ownership)),
      )
      if (checked.ok) return done(c, pathOf(reg), 'domain-proved')
      const wasLookedFor = ownership?.pending && new Date(ownership.pending.expires_at) > c.get('now')()
      return wasLookedFor
        ? done(c, pathOf(reg), 'domain-missed')
        : agentPage(c, { status: checked.status, proof: { problems: checked.problems } })
    },
    'strict',
    readOwnership,
  )
  .action(`${AGENT}/domain/cancel`, async (c) => {
    const reg = regOf(c)
    const ended = await endChallenge(c.get('db'), reg, requireCaller(c).operator_id, c.get('now')())
    return done(c, pathOf(reg), ended ? 'challenge-ended' : undefined)
  })
  .action(`${AGENT}/incidents/:id`, async (c, { fields }) => {
    const reg = regOf(c)
    const { id } = parse(incidentParam, c.req.param(), 'address')
    const sent = fields[`resolution-${id}`] ?? ''
    const resolved = await attempt(
      ['resolution'],
      hideForeign(
        reg,
        () => endIncident(c, id, parse(resolutionInput, { resolution: sent }).resolution),
        incidentNotFound(id),
      ),
    )
    if (resolved.ok) return done(c, pathOf(reg), 'incident-resolved')
    return agentPage(c, { status: resolved.status, incident: { id, sent, problems: resolved.problems } })
  })
  .page(`${AGENT}/deactivate`, (c) => deactivation(c))
  .action(
    `${AGENT}/deactivate`,
    async (c, { fields }) => {
      const reg = regOf(c)
      const problems = confirmationProblems(confirmationOf(reg), fields.number)
      if (problems) return deactivation(c, fields.number, problems)
      await hideForeign(reg, () =>
        changeAgent(c, reg, { status: 'deactivated' }, prefetched(c, readChangeable)),
      )()
      return done(c, pathOf(reg), 'agent-deactivated')
    },
    'session',
    readChangeable,
  )

function confirmationOf(reg: string): Confirmation {
  return {
    name: 'number',
    label: 'Number of the agent',
    action: 'deactivate it',
    expected: reg,
    anyCase: true,
  }
}

async function deactivation(c: Ctx, typed = '', problems: Problems = NO_PROBLEMS): Promise<Response> {
  const { agent } = await requireOwn(c)
  const { reg, name } = agent
  const fields = confirmationFields(confirmationOf(reg), {
    typed,
    problems,
    submit: 'Deactivate agent',
    back: pathOf(reg),
    keep: 'Keep it active',
  })
  return show(c, {
    title: `Deactivate ${reg}`,
    status: problems === NO_PROBLEMS ? 200 : 400,
    main: html`${crumbs(['/console/agents', 'Agents'], [pathOf(reg), name])}<h1>Deactivate this agent</h1>
<div class="note warn"><p><strong>This cannot be undone.</strong> <bdi>${name}</bdi> accepts no more events, and its number is never assigned to another agent. Its history, incidents, and last score remain public.</p></div>
${await form(c, pathOf(reg, '/deactivate'), fields)}`,
  })
}
