import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { getPage } from '../support/page.ts'

const h = shared()
const { api, newReporter, report } = h

it('shows the public events and incidents, with links to their leaves in the transparency log', async () => {
  const { key, reg } = await newReporter()
  const empty = await getPage(h, `/agents/${reg}/log`)
  expect(empty.section('events')).toBe('Events No events yet.')
  expect(empty.section('incidents')).toBe('Incidents None reported.')
  const long = { note: 'x'.repeat(3_000) }
  await report(key, reg, { metadata: long })
  await report(key, reg, {
    event_type: 'incident',
    severity: 'error',
    metadata: { title: 'Mail server down' },
  })
  const before = await getPage(h, `/agents/${reg}/log`)
  await untilLogged(h, reg)
  const page = await getPage(h, `/agents/${reg}/log`)
  const { data } = (await api('GET', `/agents/${reg}/activity?per_page=50`)).body
  for (const shown of [before, page]) {
    expect(shown.times('events')).toEqual(data.map(({ created_at }: { created_at: string }) => created_at))
    expect(shown.section('events')).toMatch(
      /incident error by operator \(self\) · leaf (\d+|soon) title Mail server down/,
    )
    expect(shown.section('events')).not.toContain('x'.repeat(300))
    expect(shown.section('incidents')).toContain('error Mail server down')
    expect(shown.text).toContain(`href="/transparency#${reg}"`)
  }
  const { data: entries } = (await api('GET', `/agents/${reg}/log-entries?kind=event`)).body
  const leaves = [...page.text.matchAll(/href="\/log\/proof\/(\d+)"/g)].map(([, leaf]) => Number(leaf))
  expect(leaves).toEqual(entries.map(({ index }: { index: number }) => index).reverse())
  expect(before.section('log')).not.toContain('All events above')
  expect(page.section('log')).toContain('All events above are in it.')
})

it('folds runs of the same event, filters them, and offers what is shown as CSV and NDJSON', async () => {
  const { key, reg } = await newReporter()
  const done = (quality: number) => ({
    reg,
    event_type: 'task_completed',
    metadata: { quality, note: 'a, "b"' },
  })
  const events = [...[1, 0.9, 0.8].map(done), { reg, event_type: 'task_failed' }, done(0.5)]
  await api('POST', '/activity/report/batch', { token: key, body: { events } })
  const page = await getPage(h, `/agents/${reg}/log`)
  const [summary] = page.section('events').match(/\d+ × .*? by/) ?? []
  expect(summary).toBe('3 × task_completed , mean quality 0.90 by')
  expect(page.times('events')).toHaveLength(5)

  const failed = await getPage(h, `/agents/${reg}/log?type=task_failed&source=self`)
  expect(failed.times('events')).toHaveLength(1)
  expect(failed.text).toContain('<option value="task_failed" selected>')
  const none = await getPage(h, `/agents/${reg}/log?source=peer`)
  expect(none.section('events')).toContain('None of these events matches.')
  expect((await getPage(h, `/agents/${reg}/log?source=friend`)).status).toBe(400)

  const { data } = (await api('GET', `/agents/${reg}/activity?per_page=50`)).body
  const ndjson = await getPage(h, `/agents/${reg}/log?format=ndjson`)
  expect(JSON.parse(`[${ndjson.text.trimEnd().replaceAll('\n', ',')}]`)).toEqual(data)
  expect(ndjson.headers.get('content-disposition')).toBe(`attachment; filename="${reg}-events.ndjson"`)
  const csv = await getPage(h, `/agents/${reg}/log?format=csv&type=task_failed`)
  expect(csv.text.split('\r\n')).toEqual([
    'id,created_at,event_type,severity,source,platform,metadata,leaf',
    expect.stringMatching(/^[\w-]{36},[^,]+Z,task_failed,info,self,,\{\},\d*$/),
    '',
  ])
  const quoted = await getPage(h, `/agents/${reg}/log?format=csv&type=task_completed`)
  expect(quoted.text).toContain('"{""note"":""a, \\""b\\"""",""quality"":0.5}"')
})
