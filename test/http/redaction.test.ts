import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { deliveriesOf, type Integration, newIntegration } from '../support/deliveries.ts'
import { eventually, tirelessKey, tirelessReporter } from '../support/fill.ts'
import { type ApiResponse, type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, sql } = h

const admin = (...args: string[]) => administer(h.database_url, args)
const reportOnce = (token: string, path: string, body: object, key: string) =>
  api('POST', path, { token, body, headers: { 'Idempotency-Key': key } })

/** The tables and statistics views that contain a text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await sql(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'drizzle')`,
  )
  const elsewhere = ['pg_stats', 'pg_stat_activity', 'pg_stats_ext']
  const found = await Promise.all(
    [...tables.map(({ name }) => name), ...elsewhere].map(async (name) => {
      const own = name === 'pg_stat_activity' ? 'and pid <> pg_backend_pid()' : ''
      const rows = await sql(`select 1 from ${name} t where position($1 in t::text) > 0 ${own} limit 1`, [
        text,
      ])
      return rows.length > 0 ? [name] : []
    }),
  )
  return found.flat().sort()
}

describe('a redacted secret', () => {
  const [single, batched] = [`secret-${randomUUID()}`, `secret-${randomUUID()}`]
  const secrets = [single, batched]
  const metadata = (secret: string) => ({
    title: `It leaked ${secret}`,
    description: `The key is ${secret}.`,
    nested: [{ [secret]: { deep: secret } }],
    quality: 0.5,
  })
  let integration: Integration
  let agent: Body
  let keys: { all: string; platform: string }
  let reports: { single: object; batch: object; key: string }
  let events: Body[]
  let incidents: Body[]

  beforeAll(async () => {
    integration = await newIntegration(h)
    const { operator, platform, receiver, path } = integration
    agent = await h.newAgent(operator, { platform_slug: platform.slug })
    const made = await api('POST', `${path}/api-keys`, {
      token: operator.token,
      body: { name: 'market', permissions: ['read', 'activity:report'] },
    })
    const all = await tirelessKey(h, operator, ['read', 'write', 'activity:report'])
    keys = { all, platform: made.body.key }
    const { reg } = agent
    const incident = (secret: string) => ({
      reg,
      event_type: 'incident',
      severity: 'critical',
      metadata: metadata(secret),
    })
    reports = {
      key: randomUUID(),
      single: incident(single),
      batch: {
        events: [
          { reg, event_type: 'task_completed', metadata: { quality: 1 } },
          incident(batched),
          { reg, event_type: 'incident', severity: 'info', metadata: { title: 'Another' } },
        ],
      },
    }
    receiver.respond((_, { raw }) => ({ status: 200, body: raw }))
    const first = await reportOnce(all, '/activity/report', reports.single, reports.key)
    await eventually(
      () => deliveriesOf(h, platform),
      (sent) => sent.filter(({ status }) => status === 'delivered').length >= 2,
    )
    // The first 410 disables the webhook, and deliveries that are still pending are skipped.
    receiver.respond((_, { raw }) => ({ status: raw.includes(batched) ? 410 : 200, body: raw }))
    const second = await reportOnce(all, '/activity/report/batch', reports.batch, reports.key)
    await eventually(
      () => deliveriesOf(h, platform),
      (sent) => sent.some(({ status }) => status === 'failed'),
    )
    events = [first.body, ...second.body.data.map(({ event }: Body) => event)]
    const found = await api('GET', `/agents/${reg}/incidents`)
    incidents = secrets.map((secret) =>
      found.body.data.find(({ title }: Body) => title === `It leaked ${secret}`),
    )
    const resolution = `${single} was rotated`
    await api('POST', `/incidents/${incidents[0].incident_id}/resolve`, { token: all, body: { resolution } })
    return () => integration.stop()
  })

  /** The responses of every GET route to the public, the operator, its key and the platform key. */
  async function allResponses(): Promise<ApiResponse[]> {
    const { operator, platform } = integration
    const document = (await api('GET', '//api/v1/openapi.json')).body
    const sent = await deliveriesOf(h, platform)
    const paths = Object.entries<Body>(document.paths)
      .filter(([path, { get }]) => get && !path.includes('/auth/'))
      .map(([path]) => path.replace(/^\/api\/v1/, ''))
    const filled = paths
      .map((path) => path.replace('{reg}', agent.reg).replace('{slug}', platform.slug))
      .flatMap((path) => (path.includes('{id}') ? sent.map(({ id }) => path.replace('{id}', id)) : [path]))
    const queries = ['?type=incident', '?cursor=', '?per_page=1', '?from=2020-01-01', '?per_page=2&page=2']
    const requested = [...filled, ...queries.map((query) => `/agents/${agent.reg}/activity${query}`)]
    const callers = [undefined, operator.token, keys.all, keys.platform]
    return Promise.all(
      callers.flatMap((token) =>
        requested.map((path) => api('GET', `//api/v1${path}`, token ? { token } : {})),
      ),
    )
  }

  const leaks = (responses: readonly ApiResponse[]) =>
    responses.filter(({ text }) => secrets.some((secret) => text.includes(secret)))

  it('is in the tables that a redaction covers, and in responses, before the redaction', async () => {
    await sql('analyze') // as autovacuum does from time to time
    const places = ['activity_events', 'incidents', 'notifications', 'webhook_attempts', 'webhook_events']
    const expected = places.map((name) => `public.${name}`)
    for (const secret of secrets) expect(await tablesWith(secret)).toEqual(expect.arrayContaining(expected))
    expect(leaks(await allResponses()).length).toBeGreaterThan(10)
  })

  it('is counted by a dry run, which changes nothing', async () => {
    const before = await sql('select count(*)::integer from redactions where agent_id = $1', [agent.id])
    const output = await admin('redact', events[0].id, '--reason', 'secret', '--dry-run')
    expect(output.split('\n')).toEqual([
      `event ${events[0].id} of ${agent.reg} would be redacted, reason secret`,
      '  incidents: 1 would be hidden',
      expect.stringMatching(/^ {2}tlog_outbox: \d would be hidden$/),
      expect.stringMatching(/^ {2}tlog_facts: \d would be hidden$/),
      '  notifications: 1 would be hidden',
      '  webhook_events: 2 would be hidden',
      expect.stringMatching(/^ {2}webhook_attempts: [12] would be hidden$/),
      '  idempotency_keys: 1 would be hidden',
    ])
    expect(await sql('select count(*)::integer from redactions where agent_id = $1', [agent.id])).toEqual(
      before,
    )
    expect((await tablesWith(single)).length).toBeGreaterThan(5)
  })

  it('is only in the log after the redaction, and in no response', async () => {
    await admin('redact', events[0].id, '--reason', 'secret')
    expect(await admin('redact', events[2].id, '--reason', 'personal')).toMatch(/idempotency_keys: 1 hidden/)
    for (const secret of secrets) expect(await tablesWith(secret)).toEqual(['public.activity_events'])
    expect(leaks(await allResponses())).toEqual([])
  })

  it('is marked as redacted in events, incidents and notifications', async () => {
    const redacted = (reason: string) => ({ at: expect.stringMatching(/^\d{4}-.*Z$/), reason })
    for (const token of [undefined, integration.operator.token, keys.all, keys.platform]) {
      const { body } = await api('GET', `/agents/${agent.reg}/activity`, token ? { token } : {})
      const shown = body.data.map(({ metadata, redacted }: Body) => ({ metadata, redacted }))
      expect(shown).toEqual([
        { metadata: { title: 'Another' } },
        { metadata: {}, redacted: redacted('personal') },
        { metadata: { quality: 1 } },
        { metadata: {}, redacted: redacted('secret') },
      ])
    }
    const { body } = await api('GET', `/agents/${agent.reg}/incidents`)
    const [open, resolved] = [1, 0].map((n) =>
      body.data.find(({ incident_id }: Body) => incident_id === incidents[n].incident_id),
    )
    const texts = { title: 'Untitled, severity critical', description: '' }
    expect(open).toMatchObject({ ...texts, resolution: null, redacted: redacted('personal') })
    expect(resolved).toMatchObject({ ...texts, resolution: '', redacted: redacted('secret') })
    const reported = await api('GET', '/operators/me/notifications', { token: integration.operator.token })
    const alerts = reported.body.data.filter(({ type }: Body) => type === 'incident_alert')
    expect(alerts.map(({ title, body }: Body) => [title, body])).toEqual([
      ['Incident: Untitled, severity critical', 'Severity critical. Its texts were redacted.'],
      ['Incident: Untitled, severity critical', 'Severity critical. Its texts were redacted.'],
    ])
  })

  it('is not in the replay of its report', async () => {
    const one = await reportOnce(keys.all, '/activity/report', reports.single, reports.key)
    expect(one.body).toEqual({ ...events[0], metadata: {}, redacted: expect.anything() })
    const batch = await reportOnce(keys.all, '/activity/report/batch', reports.batch, reports.key)
    expect(batch.status).toBe(201)
    expect(batch.body.data[1].event).toEqual({ ...events[2], metadata: {}, redacted: expect.anything() })
    expect(batch.body.data[2].event).toEqual(events[3])
    for (const { headers, text } of [one, batch]) {
      expect(headers.get('idempotency-replayed')).toBe('true')
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })

  it('does not return with a resolution, a redelivery, or the response of a receiver', async () => {
    const { operator, platform, receiver, ask } = integration
    const enabled = await ask('PATCH', '', { body: { webhook_status: 'enabled' } })
    expect(enabled.status, enabled.text).toBe(200)
    receiver.respond(() => ({ status: 200, body: single }))
    const before = receiver.received.length
    const hidden = (await deliveriesOf(h, platform)).filter(({ data }) => data.redacted)
    expect(hidden.map(({ status }) => status).sort()).toEqual(['delivered', 'failed', 'skipped'])
    for (const { id } of hidden) await ask('POST', `/deliveries/${id}/redeliver`)
    const body = { resolution: `${batched} was rotated` }
    const call = { token: operator.token, body }
    const response = await api('POST', `/incidents/${incidents[1].incident_id}/resolve`, call)
    expect(response.body).toMatchObject({
      status: 'resolved',
      resolution: '',
      redacted: { reason: 'personal' },
    })
    await eventually(
      () => deliveriesOf(h, platform),
      (sent) => sent.every(({ status }) => status !== 'pending'),
    )
    const sent = receiver.received.slice(before)
    const reported = sent.filter(({ event }) => event.data.redacted)
    expect(reported.map(({ event }) => event.type).sort()).toEqual([
      'incident.created',
      'incident.created',
      'incident.resolved',
      'incident.resolved',
    ])
    for (const { raw } of sent) for (const secret of secrets) expect(raw).not.toContain(secret)
    for (const secret of secrets) expect(await tablesWith(secret)).toEqual(['public.activity_events'])
    expect(leaks(await allResponses())).toEqual([])
  })

  it('has entries in the audit log of its operator', async () => {
    // Another session: the reads above are counted by the first one.
    const { token } = await h.newOperator({ email: integration.operator.email })
    const { body } = await api('GET', '/operators/me/audit-log', { token })
    const entries = body.data.filter(({ action }: Body) => action.startsWith('event.'))
    expect(entries.map(({ action, target }: Body) => [action, target])).toEqual([
      ['event.redacted', events[2].id],
      ['event.redacted', events[0].id],
    ])
  })

  it('is in no table or log file after its erasure, and all sums remain correct', async () => {
    const rowOf = (id: string) =>
      sql(`select to_jsonb(e) - 'metadata' as row, metadata::text from activity_events e where id = $1`, [id])
    const [before] = await rowOf(events[0].id)
    await h.cron()
    for (const n of [0, 2]) {
      expect(await admin('erase', events[n].id, '--dry-run')).toMatch(
        /would be erased\n {2}activity_events: 1/,
      )
      expect(await admin('erase', events[n].id)).toMatch(/ is erased\n {2}activity_events: 1 emptied/)
      expect(await admin('erase', events[n].id)).toMatch(/ was erased at .*\n {2}activity_events: 0 emptied/)
    }
    expect(await rowOf(events[0].id)).toEqual([{ row: before.row, metadata: '{}' }])
    for (const secret of secrets) {
      expect(await tablesWith(secret)).toEqual([])
      const logs = readdirSync(h.dir, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /\.log/.test(file),
      )
      expect(logs.filter((file) => readFileSync(join(h.dir, file), 'utf8').includes(secret))).toEqual([])
    }
    const { findings } = await rebuildTrust(h.database_url)
    expect(findings.filter(({ agent_id }) => agent_id === agent.id)).toEqual([])
  })
})

it('an erasure keeps what the event added to its rollup', async () => {
  const { reg, key, agent } = await tirelessReporter(h)
  for (const quality of [1, 0.25, 0.5]) await h.report(key, reg, { metadata: { quality, response_ms: 900 } })
  const { id } = await h.report(key, reg, { metadata: { correct: false, response_ms: 4_000 } })
  const graded = () =>
    sql('select graded_count, graded_milli from agent_evidence where agent_id = $1', [agent.id])
  const before = await graded()
  await admin('redact', id, '--reason', 'law')
  await h.cron()
  await admin('erase', id)
  const check = async () =>
    (await rebuildTrust(h.database_url)).findings.filter(({ agent_id }) => agent_id === agent.id)
  expect(await check()).toEqual([])
  for (const [field, added] of Object.entries({
    graded_count: 1,
    latency_tolerating: 1,
    response_ms: 4_000,
  })) {
    await sql('update redactions set added = added - $2 where event_id = $1', [id, field])
    expect(await check(), field).toEqual([expect.objectContaining({ reg })])
    await sql(
      'update redactions set added = added || jsonb_build_object($2::text, $3::integer) where event_id = $1',
      [id, field, added],
    )
  }
  expect(await check()).toEqual([])
  expect(await graded()).toEqual(before)
})

it('parallel redactions and erasures take effect once', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const { id } = await h.report(key, reg, { metadata: { note: 'private' } })
  const outputs = await Promise.all(
    Array.from({ length: 20 }, (_, n) => admin('redact', id, '--reason', n % 2 ? 'law' : 'personal')),
  )
  expect(outputs.filter((text) => text.includes(' is redacted'))).toHaveLength(1)
  const { body } = await api('GET', '/operators/me/audit-log', { token: operator.token })
  expect(body.data.filter(({ action }: Body) => action === 'event.redacted')).toHaveLength(1)
  const again = await admin('redact', id, '--reason', 'secret')
  const { data } = (await api('GET', `/agents/${reg}/activity`)).body
  expect(again).toMatch(
    new RegExp(`was redacted at ${data[0].redacted.at}, reason ${data[0].redacted.reason}\n`),
  )
  await h.cron()
  await Promise.all(Array.from({ length: 5 }, () => admin('erase', id)))
  const entries = (await api('GET', '/operators/me/audit-log', { token: operator.token })).body.data
  expect(entries.filter(({ action }: Body) => action === 'event.erased')).toHaveLength(1)
})

it('the commands name the wrong argument', async () => {
  const unknown = randomUUID()
  const { reg, key } = await tirelessReporter(h)
  const { id } = await h.report(key, reg)
  const cases: [string[], RegExp][] = [
    [['redact', unknown, '--reason', 'law'], new RegExp(`^event ${unknown} does not exist$`)],
    [['redact', 'x', '--reason', 'law'], /^event id: must be a UUID, not 'x'$/],
    [['redact', id, '--reason', 'spite'], /^--reason: must be law\|secret\|personal, not 'spite'$/],
    [
      ['redact', id],
      /^usage:\n {2}npm run -s admin -- redact <event id> --reason law\|secret\|personal \[--dry-run]$/,
    ],
    [['redact', id, id, '--reason', 'law'], /^usage:/],
    [['redact', id, '--force'], /'--force'/],
    [['erase', unknown], new RegExp(`^event ${unknown} does not exist$`)],
    [['erase', id], new RegExp(`^event ${id} is not redacted: redact it first$`)],
    [['erase'], /^usage:\n {2}npm run -s admin -- erase <event id> \[--dry-run]$/],
    [['redcat', id], /^unknown command 'redcat': must be .*redact, erase.*\nusage:\n/],
    [['constructor'], /^unknown command 'constructor'/],
    [[], /^usage:\n {2}npm run -s admin -- suspend <email>\n/],
  ]
  for (const [args, message] of cases) await expect(admin(...args)).rejects.toThrow(message)
})
