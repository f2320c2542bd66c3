import type { Check, Context } from './checks.ts'
import { type AgentEntry, entriesOf } from './entries.ts'
import { isRecent, type Seen } from './head.ts'
import { openLeaf } from './opening.ts'
import { differenceOf, Inconclusive, pluralize, requireNone, requireVerified } from './problems.ts'
import { HIDDEN, type RedactionLeaf, wrongRedaction } from './redactions.ts'
import { fetchPages, itemsOf, MOST_LISTED } from './service.ts'

/** An incident as the service lists it. */
export type Incident = Record<string, unknown> & { incident_id: string }

/** What the log has of an incident. */
interface Logged {
  newest: AgentEntry<'incident'> | undefined
  redaction: RedactionLeaf | undefined
}

/** Compares each incident that the service lists with its newest leaf, and requires that each leaf is listed. */
export const incidentsCheck: Check = {
  name: 'incidents',
  async verify(context) {
    const head = requireVerified(context.head, 'the checkpoint')
    const newest = new Map(entriesOf(context, 'incident').map((entry) => [entry.leaf.id, entry]))
    const redactions = new Map(entriesOf(context, 'redaction').map(({ leaf }) => [leaf.incident, leaf]))
    const { listed, isWithheld } = await fetchIncidents(context)
    if (isWithheld && !context.isWithheld)
      throw new Inconclusive('texts are withheld by the registry, but not those of the profile')
    const problems: string[] = []
    for (const incident of listed) {
      const { incident_id: id } = incident
      const logged = { newest: newest.get(id), redaction: redactions.get(id) }
      newest.delete(id)
      const wrong = await wrongIncident(incident, logged, head, isWithheld)
      if (wrong) problems.push(`incident ${id}: ${wrong}`)
    }
    if (listed.length < MOST_LISTED)
      problems.push(...[...newest.keys()].map((id) => `incident ${id} of the log is not listed`))
    requireNone(problems)
    context.incidents = listed
    return pluralize(listed.length, 'incident')
  },
}

/** The incidents that the service lists, newest first. */
export async function fetchIncidents({ service, reg }: Context) {
  const pages = await fetchPages(service, `/api/v1/agents/${reg}/incidents`)
  const listed = new Map(pages.flatMap(itemsOf<Incident>).map((incident) => [incident.incident_id, incident]))
  return { listed: [...listed.values()], isWithheld: pages.at(-1)?.withheld !== undefined }
}

/** What is wrong about a listed incident; null if it is that of the log, or changed too recently to be there. */
async function wrongIncident(
  shown: Incident,
  { newest, redaction }: Logged,
  head: Seen,
  isWithheld: boolean,
): Promise<string | null> {
  if (!newest) return isRecent(head, shown.created_at) ? null : 'is not in the log'
  const { leaf, opening } = newest
  if (!opening) return HIDDEN
  const { facts, content, reason } = await openLeaf(leaf, opening)
  if (reason) return `revision ${leaf.rev} does not match the log (${reason})`
  const isResolvedSince = leaf.rev === 1 && isRecent(head, shown.resolved_at)
  const before = isResolvedSince ? { status: 'open', resolution: null, resolved_at: null } : {}
  const isRedacted = shown.redacted || redaction
  const texts = isRedacted || isWithheld ? substitutesOf(facts) : content
  const { texts: _, ...own } = facts
  return (
    (isRedacted ? wrongRedaction(shown.redacted, redaction, head) : texts ? null : HIDDEN) ??
    differenceOf({ ...shown, ...before }, { ...own, ...texts })
  )
}

/** What is shown in place of texts that are redacted or withheld. */
function substitutesOf({ severity, status }: Record<string, unknown>) {
  return {
    title: `Untitled, severity ${severity}`,
    description: '',
    resolution: status === 'open' ? null : '',
  }
}
