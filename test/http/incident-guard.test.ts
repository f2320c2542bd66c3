import { beforeAll, describe, expect, it } from 'vitest'
import { rejectionOf } from '../support/database.ts'
import { type Body, shared } from '../support/harness.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const REJECTED = '42501'
const OFF = 'alter table incidents disable trigger user'

const owner = h.database_url
const { DATABASE_URL: worker = '' } = settingsOf(h.dir)
let reg: string
/** The ids of incidents. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  const made = await h.newReporter()
  reg = made.reg
  const events: Record<string, Body> = {}
  for (const title of ['open', 'resolved', 'redacted'])
    events[title] = await h.report(made.key, reg, { event_type: 'incident', metadata: { title } })
  for (const { title, incident_id } of (await h.api('GET', `/agents/${reg}/incidents`)).body.data)
    ids[title] = incident_id
  const call = { token: made.operator.token, body: { resolution: 'Repaired' } }
  await h.api('POST', `/incidents/${ids.resolved}/resolve`, call)
  await h.admin('redact', events.redacted.id, '--reason', 'law')
})

const change = (which: string, set: string) => `update incidents set ${set} where id = '${ids[which]}'`
const RESOLVED = `status = 'resolved', resolution = 'Repaired', resolved_at = created_at`
const HIDDEN = `redacted = true, title = 'Untitled, severity info', description = ''`

describe('the row of an incident', () => {
  const changes = [
    ['open', `title = 'Nothing happened'`],
    ['open', `description = ''`],
    ['open', `severity = 'info', title = 'Nothing happened'`],
    ['open', `id = gen_random_uuid()`],
    ['open', `event_id = gen_random_uuid()`],
    ['open', `created_at = created_at + interval '1 day'`],
    ['open', `resolution = 'Repaired'`],
    ['open', `status = 'resolved'`],
    ['open', `${RESOLVED}, title = 'Nothing happened'`],
    ['open', `status = 'resolved', resolution = 'Repaired', resolved_at = created_at - interval '1 day'`],
    ['open', HIDDEN],
    ['resolved', `status = 'open', resolution = null, resolved_at = null`],
    ['resolved', `resolution = 'Never happened'`],
    ['resolved', `resolved_at = resolved_at + interval '1 day'`],
    ['resolved', `${HIDDEN}, resolution = ''`],
    ['redacted', `redacted = false`],
    ['redacted', `title = 'Something else'`],
    ['redacted', RESOLVED],
  ] as const

  it.each(changes)('cannot be changed by the owner of the database: %s, %s', async (which, set) => {
    for (const role of ['origin', 'replica', 'local']) {
      const setting = `set local session_replication_role = ${role}`
      expect([role, await rejectionOf(owner, setting, change(which, set))]).toEqual([role, REJECTED])
    }
    expect(await rejectionOf(worker, change(which, set))).toBe(REJECTED)
    expect(await rejectionOf(owner, OFF, change(which, set))).toBe(null)
  })

  it('cannot be removed', async () => {
    for (const statement of ['delete from incidents', 'truncate incidents'])
      for (const url of [owner, worker]) expect(await rejectionOf(url, statement)).toBe(REJECTED)
  })

  it('can be resolved once, and redacted once, with the default texts and after a redaction', async () => {
    expect(await rejectionOf(worker, change('open', RESOLVED))).toBe(null)
    expect(await rejectionOf(worker, change('open', RESOLVED), change('open', RESOLVED))).toBe(REJECTED)
    expect(await rejectionOf(worker, `select redact_incident('${ids.open}')`)).toBe(REJECTED)
    const redaction = `insert into redactions (event_id, agent_id, reason, redacted_at, added)
      select event_id, agent_id, 'law', now(), '{}' from incidents where id = '${ids.open}'`
    expect(await rejectionOf(owner, redaction, change('open', HIDDEN))).toBe(null)
    for (const more of [`title = 'Another'`, `severity = 'info'`, `resolution = ''`, `description = 'A'`]) {
      const found = await rejectionOf(owner, redaction, change('open', `redacted = true, ${more}`))
      expect([more, found]).toEqual([more, REJECTED])
    }
    expect(await rejectionOf(worker, change('redacted', RESOLVED.replace('Repaired', '')))).toBe(null)
  })
})
