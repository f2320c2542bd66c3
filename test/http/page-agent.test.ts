import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { capitalized, sentence } from '../../src/pages/html.ts'
import { dropHistory, madeRows, plantHistory } from '../support/agent-history.ts'
import { unknownReg, withWrongCheck } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { getPage, type ShownPage } from '../support/page.ts'
import { at, daysAfter, newScored } from '../support/scored.ts'

const h = shared()
const { api, newAgent, newKey, newOperator, newReporter, report } = h
const HOSTILE = `<script>alert(1)</script> "double" 'single' </script> &amp; ]]>`

const today = () => new Date().toISOString().slice(0, 10)
const read = async (path: string): Promise<Body> => (await api('GET', path)).body

/** The page of an agent and its profile; repeats if a job has stored a score in between. */
async function readBoth(reg: string): Promise<{ page: ShownPage; profile: Body }> {
  const before = await read(`/agents/${reg}`)
  const page = await getPage(h, `/agents/${reg}`)
  const profile = await read(`/agents/${reg}`)
  return profile.trust_score_updated === before.trust_score_updated ? { page, profile } : readBoth(reg)
}

/** The page of an agent; expects that it equals the responses of the API. */
async function getEqualPage(reg: string): Promise<ShownPage> {
  const { page, profile } = await readBoth(reg)
  const [explained, inputs, { data: history }, { data: incidents }] = await Promise.all([
    read(`/agents/${reg}/trust-score?explain=true`),
    read(`/agents/${reg}/trust-score/inputs`),
    read(`/agents/${reg}/trust-score/history?limit=30`),
    read(`/agents/${reg}/incidents?per_page=5`),
  ])
  expect(page.words).toContain(reg)
  if (profile.trust_score_overall === null) expect(page.words).toContain('No score yet')
  else {
    expect(page.words).toContain(`${profile.trust_score_overall} / 100`)
    expect(page.words).toContain(`${explained.events_considered} events in 90 days`)
    expect(page.words.includes('provisional')).toBe(explained.provisional)
    for (const [source, share] of Object.entries(explained.evidence)) {
      const name =
        {
          self: 'its operator ',
          unproven: 'while the identity of its operator is not known',
          peer: 'platforms of other',
          independent: 'established platforms',
        }[source] ?? source
      expect([source, /Reported by:.*? Why /.exec(page.words)?.[0].includes(name)]).toEqual([
        source,
        (share as number) > 0,
      ])
    }
    const why = page.section('why')
    for (const { code, dimension, message } of explained.risk_factors) {
      const factor = sentence(message)
      const subject = dimension === 'overall' ? '' : `${capitalized(dimension)}: `
      expect(why).toContain(`${subject}${factor} ${code}`)
    }
    for (const name of ['reliability', 'accuracy', 'safety', 'speed', 'consistency']) {
      expect(why).toContain(`${name} ${100 * explained.weights[name]}% ${explained[name].toFixed(1)}`)
    }
  }
  expect(page.section('why')).toContain(inputs.sha256)

  const perDay = new Map<string, number[]>()
  for (const row of inputs.rows) {
    const faults = row.incidents_info + row.incidents_warning + row.incidents_error + row.incidents_critical
    const [completed = 0, failed = 0, others = 0] = perDay.get(row.day) ?? []
    perDay.set(row.day, [completed + row.completed, failed + row.failed, others + faults])
  }
  const days = [...perDay]
    .filter(([day]) => day > daysAfter(inputs.today, -30))
    .sort(([a], [b]) => (a < b ? 1 : -1))
  expect(page.rows('Tasks per day')).toEqual(days.map(([day, figures]) => [day, ...figures.map(String)]))
  const scores = new Map(page.rows('When the score changed').map(([day, score]) => [day, score]))
  for (const { day, overall } of history) {
    if (day === inputs.today) continue
    const shown = [...scores].find(([changed]) => (changed ?? '') <= day)?.[1]
    expect([day, shown]).toEqual([day, overall.toFixed(1)])
  }

  const shown = page.section('incidents')
  for (const { title, severity } of incidents) expect(shown).toContain(`${severity} ${title}`)
  const reported = incidents.flatMap((incident: Body) =>
    incident.resolved_at ? [incident.resolved_at, incident.created_at] : [incident.created_at],
  )
  expect(page.times('incidents')).toEqual(reported)
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
    expect([section, page.times(section)]).toEqual([section, times.filter((date) => date !== null)])
  }
  const facts = page.section('record')
  if (profile.success_rate !== null) {
    expect(facts).toContain(
      `${profile.tasks_completed} completed, ${profile.tasks_failed} failed (${profile.success_rate}% completed)`,
    )
  }
  expect(page.words.includes('The operator of this agent is suspended.')).toBe(
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
  await h.cron()
  await scored.work(new Date(), 3)
  return scored
}

describe('the page of an agent equals the responses of the API', () => {
  it('with a score, a history and incidents', async () => {
    const { reg, operator } = await workedAgent()
    const { data } = await read(`/agents/${reg}/incidents`)
    await api('POST', `/incidents/${data[0].incident_id}/resolve`, {
      token: operator.token,
      body: { resolution: 'fixed' },
    })
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'Another name' } })
    const page = await getEqualPage(reg)
    expect(page.words).toContain('Another name')
  })

  it('without a score', async () => {
    const { key, reg } = await newReporter()
    for (let n = 0; n < 3; n++) await report(key, reg)
    const page = await getEqualPage(reg)
    expect(page.words).toContain('No score yet 3 of 10 tasks')
    expect(page.words).not.toContain('Trust score')
  })

  it('without events', async () => {
    const { reg } = await newReporter()
    const page = await getEqualPage(reg)
    expect(page.words).toContain('No tasks in these days.')
  })

  it('with a provisional score of only its own reports', async () => {
    const { key, reg } = await newReporter()
    for (let n = 0; n < 12; n++) await report(key, reg)
    const page = await getEqualPage(reg)
    expect(page.words).toContain('provisional')
    expect(page.words).toContain('Reported by: its operator 100%')
    expect(page.section('why')).toContain('RECORD_UNATTESTED')
    expect(page.text).toMatch(
      /aria-label="Trust score 5\d\.\d of 100; 50: where every agent starts, 59: its limit without outside reports"/,
    )
  })

  it('when it is deactivated, with the score of its last day', async () => {
    const { reg, operator } = await workedAgent()
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' } })
    const now = new Date(Date.now() + 3 * DAY_MS)
    const page = await getPage(h, `/agents/${reg}`, { now })
    expect(page.words).toContain(`Permanently deactivated by its operator on ${today()}`)
    await getEqualPage(reg)
  })

  it('when its operator is suspended, without the texts of incidents', async () => {
    const { reg, operator } = await workedAgent()
    await h.suspend(operator)
    const page = await getEqualPage(reg)
    expect(page.words).not.toContain('it burns')
    expect(page.words).toContain('Last trust score')
    expect(page.section('why')).toMatch(
      /^Why ! The registry has suspended its operator: its record no longer matters How this is computed reliability/,
    )
  })

  it('when an incident is redacted', async () => {
    const { key, reg } = await newReporter()
    const event = await report(key, reg, {
      event_type: 'incident',
      metadata: { title: 'The key is hunter2' },
    })
    await administer(h.database_url, ['redact', event.id, '--reason', 'secret'])
    const page = await getEqualPage(reg)
    expect(page.text).not.toContain('hunter2')
  })
})

it('gives the three strongest reasons, a recent critical event first', async () => {
  const { key, reg } = await newReporter()
  for (let n = 0; n < 12; n++) await report(key, reg)
  const reasons = async () =>
    (await getPage(h, `/agents/${reg}`)).section('why').replace(/ Reliability.*| reliability.*/s, '')
  expect(await reasons()).toBe(
    'Why ! Only its operator reports on it; nobody else confirms that ! Its record is short ! Nobody reports whether its outputs are right',
  )
  await report(key, reg, { event_type: 'incident', severity: 'critical' })
  expect(await reasons()).toBe(
    'Why ! A critical event was reported in the last 30 days ! Only its operator reports on it; nobody else confirms that ! Incidents and errors are frequent or severe',
  )
})

it('marks verified facts with a check mark, and puts claims in quotation marks', async () => {
  const operator = await newOperator()
  const agent = await newAgent(operator, {
    description: 'Reads invoices',
    homepage_url: 'https://a.example.com/x',
  })
  const before = await getPage(h, `/agents/${agent.reg}`)
  expect(before.words).toContain('No verified domain')
  expect(before.section('stated')).toContain('“ Reads invoices ”')
  expect(before.words).toMatch(/by “ Operator \w{6} ” not checked/)
  expect(before.words).not.toContain('a.example.com')
  await h.sql(
    `update agents set domain = 'a.example.com', ownership_status = 'verified', ownership_verified_at = now()
     where id = $1`,
    [agent.id],
  )
  await h.sql(`update operators set name = 'Ada Lovelace', name_verified_at = now() where id = $1`, [
    operator.id,
  ])
  const page = await getPage(h, `/agents/${agent.reg}`)
  expect(page.words).toContain('a.example.com ✓ verified just now · by Ada Lovelace ✓ name checked')
  expect(page.section('stated')).toContain('https://a.example.com/x')
})

it('shows 365 days in weeks with all tasks, in less than 12 KB', async () => {
  const { agent } = await newReporter()
  const rows = madeRows(today(), 455)
  await plantHistory(h, agent.id, rows)
  onTestFinished(() => dropHistory(h, agent.id))
  for (const days of [30, 90, 365]) {
    const page = await getPage(h, `/agents/${agent.reg}?days=${days}`)
    const shown = rows.filter(({ day }) => day > daysAfter(today(), -days))
    const sum = (field: 'completed' | 'failed') => shown.reduce((all, row) => all + row[field], 0)
    const figures = page.rows(days === 365 ? 'Tasks per week' : 'Tasks per day')
    const reported = (column: number) =>
      figures.reduce((all, cells) => all + Number(cells[column]?.replaceAll(',', '')), 0)
    expect([days, figures.length, reported(1), reported(2)]).toEqual([
      days,
      days === 365 ? 53 : days,
      sum('completed'),
      sum('failed'),
    ])
    expect([days, gzipSync(page.text).length < 12 * 1024]).toEqual([days, true])
  }
  expect(await getPage(h, `/agents/${agent.reg}?days=31`)).toMatchObject({ status: 400 })
})

it('escapes hostile texts in HTML and in JSON-LD', async () => {
  const operator = await newOperator()
  const { reg } = await newAgent(operator, {
    name: HOSTILE,
    description: HOSTILE,
    specializations: [HOSTILE.slice(0, 50)],
  })
  const { key } = await newKey(operator)
  await report(key, reg, { event_type: 'incident', metadata: { title: HOSTILE } })
  for (const path of [`/agents/${reg}`, `/agents/${reg}/log`]) {
    const page = await getPage(h, path)
    expect(page.text).not.toContain('<script>alert')
    // The name, the title of the incident, and the description of the agent or the values of the event.
    expect(page.words.split(HOSTILE)).toHaveLength(4)
  }
  const { text } = await getPage(h, `/agents/${reg}`)
  const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? ''
  expect(JSON.parse(data)).toEqual({
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    identifier: reg,
    name: HOSTILE,
    description: HOSTILE,
    url: expect.stringMatching(new RegExp(`/agents/${reg}$`)),
    dateCreated: (await read(`/agents/${reg}`)).registered_at,
  })
  const astral = await newAgent(operator, { name: '😀'.repeat(255) })
  expect((await getPage(h, `/agents/${astral.reg}`)).words).toContain('😀'.repeat(255))
})

it('links to the JSON of the API, which links to the page', async () => {
  const { reg } = await newReporter()
  const page = await getPage(h, `/agents/${reg}`)
  expect(page.text).toContain(
    `<link rel="alternate" type="application/json" href="${h.base_url}/api/v1/agents/${reg}">`,
  )
  expect(page.headers.get('cache-control')).toBe('public, max-age=60')
  const again = await getPage(h, `/agents/${reg}`, {
    headers: { 'If-None-Match': page.headers.get('etag') ?? '' },
  })
  expect([again.status, again.text]).toEqual([304, ''])
  const profile = await api('GET', `/agents/${reg}`)
  expect(profile.headers.get('link')).toBe(`<${h.base_url}/agents/${reg}>; rel="alternate"; type="text/html"`)
})

describe('an agent number', () => {
  it.each(['', '/log', '/badge.svg', '/badge.json'])(
    'in lowercase redirects to its page: %s',
    async (below) => {
      const { reg } = await newReporter()
      const { status, headers } = await getPage(h, `/agents/${reg.toLowerCase()}${below}?days=90`)
      expect([status, headers.get('location')]).toEqual([308, `/agents/${reg}${below}?days=90`])
    },
  )

  it.each(['', '/log'])('that does not exist returns 404 with the probable reason: %s', async (below) => {
    const { reg } = await newReporter()
    const mistyped = withWrongCheck(reg)
    const wrong = await getPage(h, `/agents/${mistyped}${below}`)
    expect(wrong.status).toBe(404)
    expect(wrong.words).toContain(
      'its check character does not match, so at least one character is mistyped.',
    )
    expect(wrong.text).toContain(`name="q" type="search" value="${mistyped}"`)
    const unknown = unknownReg()
    const none = await getPage(h, `/agents/${unknown}${below}`)
    expect([none.status, none.words.includes(`There is no agent ${unknown}.`)]).toEqual([404, true])
    const other = await getPage(h, `/agents/REG-1${below}`)
    expect([other.status, other.words.includes('This is not an agent number')]).toEqual([404, true])
    const program = await api('GET', `//agents/${unknown}${below}`)
    expect([program.status, program.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })
})
