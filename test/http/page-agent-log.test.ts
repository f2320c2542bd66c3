import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { pageReader, sectionOf, timesIn } from '../support/pages.ts'

const h = shared()
const read = pageReader(h)
const { api, newReporter, report } = h

it('shows the public events and incidents, with links to their leaves in the transparency log', async () => {
  const { key, reg } = await newReporter()
  const empty = await read(`/agents/${reg}/log`)
  expect(sectionOf(empty, 'events')).toBe('Events No events yet.')
  expect(sectionOf(empty, 'incidents')).toBe('Incidents None reported.')
  const long = { note: 'x'.repeat(3_000) }
  await report(key, reg, { metadata: long })
  await report(key, reg, {
    event_type: 'incident',
    severity: 'error',
    metadata: { title: 'Mail server down' },
  })
  const before = await read(`/agents/${reg}/log`)
  await untilLogged(h, reg)
  const page = await read(`/agents/${reg}/log`)
  const { data } = (await api('GET', `/agents/${reg}/activity?per_page=50`)).body
  for (const shown of [before, page]) {
    expect(timesIn(shown, 'events')).toEqual(data.map(({ created_at }: { created_at: string }) => created_at))
    expect(sectionOf(shown, 'events')).toMatch(
      /incident error by operator \(self\) · leaf (\d+|soon) title Mail server down/,
    )
    expect(sectionOf(shown, 'events')).not.toContain('x'.repeat(300))
    expect(sectionOf(shown, 'incidents')).toContain('error Mail server down')
    expect(shown.html).toContain(`href="/transparency#${reg}"`)
  }
  const { data: entries } = (await api('GET', `/agents/${reg}/log-entries?kind=event`)).body
  const leaves = [...page.html.matchAll(/href="\/log\/proof\/(\d+)"/g)].map(([, leaf]) => Number(leaf))
  expect(leaves).toEqual(entries.map(({ index }: { index: number }) => index).reverse())
  expect(sectionOf(before, 'log')).not.toContain('All events above')
  expect(sectionOf(page, 'log')).toContain('All events above are in it.')
})

it('folds runs of the same event, filters them, and offers what is shown as CSV and NDJSON', async () => {
  const { key, reg } = await newReporter()
  const done = (quality: number) => ({
    reg,
    event_type: 'task_completed',
    metadata: { quality, note: 'a, "b"' },
  })
  const events = [...[1, 0.9, 0.8].map(done), { reg, event_type: 'task_failed' }, done(0.5)]
  await h.reportBatch(key, events)
  const page = await read(`/agents/${reg}/log`)
  const [summary] = sectionOf(page, 'events').match(/\d+ × .*? by/) ?? []
  expect(summary).toBe('3 × task_completed , mean quality 0.90 by')
  expect(timesIn(page, 'events')).toHaveLength(5)

  const failed = await read(`/agents/${reg}/log?type=task_failed&source=self`)
  expect(timesIn(failed, 'events')).toHaveLength(1)
  expect(failed.html).toContain('<option value="task_failed" selected>')
  const none = await read(`/agents/${reg}/log?source=peer`)
  expect(sectionOf(none, 'events')).toContain('None of these events matches.')
  expect((await read(`/agents/${reg}/log?source=friend`)).status).toBe(400)

  const { data } = (await api('GET', `/agents/${reg}/activity?per_page=50`)).body
  const ndjson = await read(`/agents/${reg}/log?format=ndjson`)
  expect(JSON.parse(`[${ndjson.html.trimEnd().replaceAll('\n', ',')}]`)).toEqual(data)
  expect(ndjson.headers.get('content-disposition')).toBe(`attachment; filename="${reg}-events.ndjson"`)
  const csv = await read(`/agents/${reg}/log?format=csv&type=task_failed`)
  expect(csv.html.split('\r\n')).toEqual([
    'id,created_at,event_type,severity,source,platform,metadata,leaf',
    expect.stringMatching(/^[\w-]{36},[^,]+Z,task_failed,info,self,,\{\},\d*$/),
    '',
  ])
  const quoted = await read(`/agents/${reg}/log?format=csv&type=task_completed`)
  expect(quoted.html).toContain('"{""note"":""a, \\""b\\"""",""quality"":0.5}"')
})
