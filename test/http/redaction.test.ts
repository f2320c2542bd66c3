import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { atOnce } from '../support/at-once.ts'
import { openConsole } from '../support/console.ts'
import { tablesWith } from '../support/database.ts'
import { deliveriesOf, type Integration, newIntegration, settled } from '../support/deliveries.ts'
import { eventually, tirelessKey, tirelessReporter } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { auditOf } from '../support/platforms.ts'
import { placesOf, readAll } from '../support/third-parties.ts'

const h = shared()
const { api, sql, admin } = h

const reportOnce = (token: string, path: string, body: object, key: string) =>
  api('POST', path, { token, body, headers: { 'Idempotency-Key': key } })

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
    const { operator, platform, receiver } = integration
    agent = await h.newAgent(operator, { platform_slug: platform.slug })
    const ofPlatform = await h.newPlatformKey(operator, platform.slug)
    const all = await tirelessKey(h, operator, ['read', 'write', 'activity:report'])
    keys = { all, platform: ofPlatform.key }
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
    await settled(h, integration, 'delivered', 2)
    // The first 410 disables the webhook, and deliveries that are still pending are skipped.
    receiver.respond((_, { raw }) => ({ status: raw.includes(batched) ? 410 : 200, body: raw }))
    const second = await reportOnce(all, '/activity/report/batch', reports.batch, reports.key)
    await settled(h, integration, 'failed')
    events = [first.body, ...second.body.data.map(({ event }: Body) => event)]
    const found = await api('GET', `/agents/${reg}/incidents`)
    incidents = secrets.map((secret) =>
      found.body.data.find(({ title }: Body) => title === `It leaked ${secret}`),
    )
    const resolution = `${single} was rotated`
    await api('POST', `/incidents/${incidents[0].incident_id}/resolve`, { token: all, body: { resolution } })
    return () => integration.stop()
  })

  /** Where everybody, the operator included, reads one of the secrets: by any route and on any page. */
  async function places() {
    const { operator, platform } = integration
    // Another session for each reading, because it allows 120 requests per minute.
    const { token } = await h.newOperator({ email: operator.email })
    const texts = await readAll(
      h,
      {
        reg: [agent.reg],
        operators: [operator.id],
        slug: [platform.slug],
        deliveries: (await deliveriesOf(h, platform)).map(({ id }) => id),
        key_id: [],
        kid: [],
      },
      {
        tokens: { operator: token, key: keys.all, platform: keys.platform },
        visitors: { operator: await openConsole(h, operator.email) },
      },
    )
    return secrets.flatMap((secret) => Object.keys(placesOf(texts, secret)))
  }

  it('is in tables and responses before the redaction, and a dry run counts them without a change', async () => {
    await sql('analyze') // as autovacuum does from time to time
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
    expect(await sql('select from redactions where agent_id = $1', [agent.id])).toEqual([])
    const covered = ['activity_events', 'incidents', 'notifications', 'webhook_attempts', 'webhook_events']
    const expected = expect.arrayContaining(covered.map((name) => `public.${name}`))
    for (const secret of secrets) expect(await tablesWith(h, secret)).toEqual(expected)
    expect((await places()).length).toBeGreaterThan(30)
  })

  it('is only in the log after the redaction', async () => {
    await admin('redact', events[0].id, '--reason', 'secret')
    expect(await admin('redact', events[2].id, '--reason', 'personal')).toMatch(/idempotency_keys: 1 hidden/)
    for (const secret of secrets) expect(await tablesWith(h, secret)).toEqual(['public.activity_events'])
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

  it('is in no response, and does not return with a resolution, redelivery, or response of a receiver', async () => {
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
    for (const secret of secrets) expect(await tablesWith(h, secret)).toEqual(['public.activity_events'])
    expect(await places()).toEqual([])
    expect(await auditOf(h, operator, 'event.%')).toEqual([
      { action: 'event.redacted', target: events[0].id },
      { action: 'event.redacted', target: events[2].id },
    ])
  })

  it('is in no table or log file after its erasure, and all sums remain correct', async () => {
    const rowOf = (id: string) =>
      sql(`select to_jsonb(e) - 'metadata' as row, metadata::text from activity_events e where id = $1`, [id])
    const [before] = await rowOf(events[0].id)
    const rows = () => sql('select * from agent_evidence where agent_id = $1', [agent.id])
    const rollup = await rows()
    await untilLogged(h, agent.reg)
    for (const n of [0, 2]) {
      expect(await admin('erase', events[n].id, '--dry-run')).toMatch(
        /would be erased\n {2}activity_events: 1/,
      )
      expect(await admin('erase', events[n].id)).toMatch(/ is erased\n {2}activity_events: 1 emptied/)
      expect(await admin('erase', events[n].id)).toMatch(/ was erased at .*\n {2}activity_events: 0 emptied/)
    }
    expect(await rowOf(events[0].id)).toEqual([{ row: before.row, metadata: '{}' }])
    for (const secret of secrets) {
      expect(await tablesWith(h, secret)).toEqual([])
      const logs = readdirSync(h.dir, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /\.log/.test(file),
      )
      expect(logs.filter((file) => readFileSync(join(h.dir, file), 'utf8').includes(secret))).toEqual([])
    }
    expect(await rows()).toEqual(rollup)
    const { findings } = await rebuildTrust(h.database_url) // adds what the redactions kept of the events
    expect(findings.filter(({ agent_id }) => agent_id === agent.id)).toEqual([])
  })
})

it('parallel redactions and erasures take effect once', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const { id } = await h.report(key, reg, { metadata: { note: 'private' } })
  const outputs = await atOnce((n) => admin('redact', id, '--reason', n % 2 ? 'law' : 'personal'))
  expect(outputs.filter((text) => text.includes(' is redacted'))).toHaveLength(1)
  const again = await admin('redact', id, '--reason', 'secret')
  const { data } = (await api('GET', `/agents/${reg}/activity`)).body
  expect(again).toMatch(
    new RegExp(`was redacted at ${data[0].redacted.at}, reason ${data[0].redacted.reason}\n`),
  )
  await untilLogged(h, reg)
  await Promise.all(Array.from({ length: 5 }, () => admin('erase', id)))
  expect(await auditOf(h, operator, 'event.%')).toEqual([
    { action: 'event.redacted', target: id },
    { action: 'event.erased', target: id },
  ])
})

it.each<[args: (id: string) => string[], message: RegExp]>([
  [() => ['redact', randomUUID(), '--reason', 'law'], /^event [-\w]{36} does not exist$/],
  [() => ['redact', 'x', '--reason', 'law'], /^event id: must be a UUID, not 'x'$/],
  [(id) => ['redact', id, '--reason', 'spite'], /^--reason: must be law\|secret\|personal, not 'spite'$/],
  [(id) => ['redact', id], /^usage:/],
  [() => ['erase', randomUUID()], /^event [-\w]{36} does not exist$/],
  [(id) => ['erase', id], /^event [-\w]{36} is not redacted: redact it first$/],
])('a command names its wrong argument: %#', async (argsFor, message) => {
  const { reg, key } = await h.newReporter()
  await expect(admin(...argsFor((await h.report(key, reg)).id))).rejects.toThrow(message)
})
