import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { capitalized, sentence } from '../../src/pages/html.ts'
import { madeRows } from '../support/agent-history.ts'
import { storeRows, unknownReg, withWrongCheck } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilScored } from '../support/logged.ts'
import { pageReader, type ReadPage, rowsOf, sectionOf, timesIn } from '../support/pages.ts'
import { at, daysAfter, newScored } from '../support/scored.ts'

const h = shared()
const readPage = pageReader(h)
const { api, newAgent, newOperator, newReporter, report } = h

const today = () => new Date().toISOString().slice(0, 10)
const read = async (path: string): Promise<Body> => (await api('GET', path)).body

/** The page of an agent and its profile; repeats if a job has stored a score in between. */
async function readBoth(reg: string): Promise<{ page: ReadPage; profile: Body }> {
  const before = await read(`/agents/${reg}`)
  const page = await readPage(`/agents/${reg}`)
  const profile = await read(`/agents/${reg}`)
  return profile.trust_score_updated === before.trust_score_updated ? { page, profile } : readBoth(reg)
}

/** The page of an agent; expects that it equals the responses of the API. */
async function getEqualPage(reg: string): Promise<ReadPage> {
  const { page, profile } = await readBoth(reg)
  const [explained, inputs, { data: history }, { data: incidents }] = await Promise.all([
    read(`/agents/${reg}/trust-score?explain=true`),
    read(`/agents/${reg}/trust-score/inputs`),
    read(`/agents/${reg}/trust-score/history?limit=30`),
    read(`/agents/${reg}/incidents?per_page=5`),
  ])
  expect(page.text).toContain(reg)
  if (profile.trust_score_overall === null) expect(page.text).toContain('No score yet')
  else {
    expect(page.text).toContain(`${profile.trust_score_overall} / 100`)
    expect(page.text).toContain(`${explained.events_considered} events in 90 days`)
    expect(page.text.includes('provisional')).toBe(explained.provisional)
    for (const [source, share] of Object.entries(explained.evidence)) {
      const name =
        {
          self: 'its operator ',
          unproven: 'while the identity of its operator is not known',
          peer: 'platforms of other',
          independent: 'established platforms',
        }[source] ?? source
      expect([source, /Reported by:.*? Why /.exec(page.text)?.[0].includes(name)]).toEqual([
        source,
        (share as number) > 0,
      ])
    }
    const why = sectionOf(page, 'why')
    for (const { code, dimension, message } of explained.risk_factors) {
      const factor = sentence(message)
      const subject = dimension === 'overall' ? '' : `${capitalized(dimension)}: `
      expect(why).toContain(`${subject}${factor} ${code}`)
    }
    for (const name of ['reliability', 'accuracy', 'safety', 'speed', 'consistency']) {
      expect(why).toContain(`${name} ${100 * explained.weights[name]}% ${explained[name].toFixed(1)}`)
    }
  }
  expect(sectionOf(page, 'why')).toContain(inputs.sha256)

  const changes = rowsOf(page, 'When the score changed')
  for (const { day, overall } of history) {
    if (day === inputs.today) continue
    const [, score] = changes.find(([changed = '']) => changed <= day) ?? []
    expect([day, score]).toEqual([day, overall.toFixed(1)])
  }
  const shown = sectionOf(page, 'incidents')
  for (const { title, severity } of incidents) expect(shown).toContain(`${severity} ${title}`)
  const reported = incidents.flatMap((incident: Body) =>
    incident.resolved_at ? [incident.resolved_at, incident.created_at] : [incident.created_at],
  )
  expect(timesIn(page, 'incidents')).toEqual(reported)
  const { ownership_verified_at, platform_since, platform_leaves_at } = profile
  const { last_active_at, registered_at, name_changed_at, trust_score_updated } = profile
  const onPlatform = [platform_since, platform_leaves_at]
  const isConfirmed = profile.platform_state === 'confirmed'
  const dates = {
    checked: [ownership_verified_at, ...(isConfirmed ? onPlatform : [])],
    stated: isConfirmed ? [] : onPlatform,
    record: [last_active_at, registered_at, name_changed_at, trust_score_updated],
  }
  for (const [section, times] of Object.entries(dates)) {
    expect([section, timesIn(page, section)]).toEqual([section, times.filter((date) => date !== null)])
  }
  const facts = sectionOf(page, 'record')
  if (profile.success_rate !== null) {
    expect(facts).toContain(
      `${profile.tasks_completed} completed, ${profile.tasks_failed} failed (${profile.success_rate}% completed)`,
    )
  }
  expect(page.text.includes('The operator of this agent is suspended.')).toBe(
    profile.operator_status === 'suspended',
  )
  return page
}

/** An agent with some days of work reported by others, and a day with failures and an incident. */
async function workedAgent() {
  const start = daysAfter(today(), -14)
  const scored = await newScored(h, { now: at(start, '08:00:00') })
  for (let n = 0; n < 12; n++) await scored.work(at(daysAfter(start, n), '09:00:00'), 8, n % 3)
  await scored.burn(at(daysAfter(start, 12), '10:00:00'))
  await untilScored(h, scored.reg)
  await scored.work(new Date(), 3)
  return scored
}

describe('the page of an agent equals the responses of the API', () => {
  it('without events, with a few, with its own reports alone, and with a critical incident', async () => {
    const { key, reg } = await newReporter()
    expect((await getEqualPage(reg)).text).toContain('No tasks in these days.')
    const send = (count: number) =>
      h.reportBatch(key, Array(count).fill({ reg, event_type: 'task_completed' }))
    await send(3)
    const few = await getEqualPage(reg)
    expect(few.text).toContain('No score yet 3 of 10 tasks')
    expect(few.text).not.toContain('Trust score')
    await send(9)
    const scored = await getEqualPage(reg)
    expect(scored.text).toContain('Reported by: its operator 100%')
    expect(scored.html).toMatch(
      /aria-label="Trust score 5\d\.\d of 100; 50: where every agent starts, 59: its limit without outside reports"/,
    )
    const reasons = (page: ReadPage) => sectionOf(page, 'why').split(' ! ').slice(1)
    const byOthers = 'Only its operator reports on it; nobody else confirms that'
    expect(reasons(scored).slice(0, 2)).toEqual([byOthers, 'Its record is short'])
    expect(reasons(scored)).toHaveLength(3)
    await report(key, reg, { event_type: 'incident', severity: 'critical' })
    const critical = reasons(await getEqualPage(reg))
    expect(critical.slice(0, 2)).toEqual(['A critical event was reported in the last 30 days', byOthers])
  })

  it('with a score, a history and incidents, when it is deactivated, and when its operator is suspended', async () => {
    const { reg, operator } = await workedAgent()
    const { token } = operator
    const { data } = await read(`/agents/${reg}/incidents`)
    const body = { resolution: 'fixed' }
    await api('POST', `/incidents/${data[0].incident_id}/resolve`, { token, body })
    await api('PATCH', `/agents/${reg}`, { token, body: { name: 'Another name' } })
    expect((await getEqualPage(reg)).text).toContain('Another name')
    expect((await read(`/agents/${reg}/trust-score/history`)).data.length).toBeGreaterThan(5)

    await api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
    const now = new Date(Date.now() + 3 * DAY_MS)
    const later = await readPage(`/agents/${reg}`, { headers: { 'X-Test-Now': now.toISOString() } })
    expect(later.text).toContain(`Permanently deactivated by its operator on ${today()}`)
    await getEqualPage(reg)

    await h.suspend(operator)
    const page = await getEqualPage(reg)
    expect(page.text).toContain('Last trust score')
    expect(sectionOf(page, 'why')).toMatch(/^Why ! The registry has suspended its operator/)
  })
})

it('shows a past score until the last of its tasks leaves the window', async () => {
  const start = daysAfter(today(), -100)
  const { reg, work, history } = await newScored(h, { now: at(start, '08:00:00') })
  await work(at(start, '09:00:00'), 12)
  await untilScored(h, reg)
  const rows = rowsOf(await readPage(`/agents/${reg}?days=30`), 'When the score changed')
  const first = daysAfter(today(), -29)
  const known = (await history()).findLast(({ day }) => day <= first)
  expect([rows[0], rows.at(-1)]).toEqual([
    [daysAfter(today(), -10), 'none'],
    [first, known?.overall.toFixed(1)],
  ])
})

it('marks verified facts with a check mark, and puts claims in quotation marks', async () => {
  const operator = await newOperator()
  const agent = await newAgent(operator, {
    description: 'Reads invoices',
    homepage_url: 'https://a.example.com/x',
  })
  const before = await readPage(`/agents/${agent.reg}`)
  expect(before.text).toContain('No verified domain')
  expect(sectionOf(before, 'stated')).toContain('“ Reads invoices ”')
  expect(before.text).toMatch(/by “ Operator \w{6} ” not checked/)
  expect(before.text).not.toContain('a.example.com')
  await h.sql(
    `update agents set domain = 'a.example.com', ownership_status = 'verified', ownership_verified_at = now()
     where id = $1`,
    [agent.id],
  )
  await h.sql(`update operators set name = 'Ada Lovelace', name_verified_at = now() where id = $1`, [
    operator.id,
  ])
  const page = await readPage(`/agents/${agent.reg}`)
  expect(page.text).toContain('a.example.com ✓ verified just now · by Ada Lovelace ✓ name checked')
  expect(sectionOf(page, 'stated')).toContain('https://a.example.com/x')
})

it('shows 365 days in weeks with all tasks', async () => {
  const { agent } = await newReporter()
  const rows = madeRows(today(), 455)
  await storeRows(h, agent.id, rows)
  for (const [days, title, lines] of [
    [30, 'Tasks per day', 30],
    [365, 'Tasks per week', 53],
  ] as const) {
    const page = await readPage(`/agents/${agent.reg}?days=${days}`)
    const shown = rows.filter(({ day }) => day > daysAfter(today(), -days))
    const sum = (field: 'completed' | 'failed') => shown.reduce((all, row) => all + row[field], 0)
    const figures = rowsOf(page, title)
    const reported = (column: number) =>
      figures.reduce((all, cells) => all + Number(cells[column]?.replaceAll(',', '')), 0)
    expect([figures.length, reported(1), reported(2)]).toEqual([lines, sum('completed'), sum('failed')])
  }
  expect(await readPage(`/agents/${agent.reg}?days=31`)).toMatchObject({ status: 400 })
})

it('describes the agent in JSON-LD, with hostile texts escaped, and is linked from the API', async () => {
  const hostile = `<script>alert(1)</script> "double" 'single' </script> &amp; ]]>`
  const { reg } = await newAgent(await newOperator(), { name: hostile, description: hostile })
  const { html: text } = await readPage(`/agents/${reg}`)
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? ''
  const { body, headers } = await api('GET', `/agents/${reg}`)
  expect(JSON.parse(data)).toEqual({
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    identifier: reg,
    name: hostile,
    description: hostile,
    url: `${h.base_url}/agents/${reg}`,
    dateCreated: body.registered_at,
  })
  expect(headers.get('link')).toBe(`<${h.base_url}/agents/${reg}>; rel="alternate"; type="text/html"`)
})

describe('an agent number', () => {
  it('in lowercase redirects to its page', async () => {
    const { reg } = await newReporter()
    for (const below of ['', '/log', '/badge.svg', '/badge.json']) {
      const { status, headers } = await readPage(`/agents/${reg.toLowerCase()}${below}?days=90`)
      expect([status, headers.get('location')]).toEqual([308, `/agents/${reg}${below}?days=90`])
    }
  })

  it('that does not exist returns 404 with the probable reason', async () => {
    const [mistyped, unknown] = [withWrongCheck((await newReporter()).reg), unknownReg()]
    for (const below of ['', '/log']) {
      const wrong = await readPage(`/agents/${mistyped}${below}`)
      expect([wrong.status, wrong.text]).toEqual([404, expect.stringContaining('is mistyped')])
      expect(wrong.html).toContain(`name="q" type="search" value="${mistyped}"`)
      const none = await readPage(`/agents/${unknown}${below}`)
      expect([none.status, none.text]).toEqual([404, expect.stringContaining(`no agent ${unknown}.`)])
      const other = await readPage(`/agents/REG-1${below}`)
      expect([other.status, other.text]).toEqual([404, expect.stringContaining('not an agent number')])
      expect(await api('GET', `//agents/${unknown}${below}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
    }
  })
})
