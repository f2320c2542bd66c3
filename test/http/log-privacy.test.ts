import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { attestedAgent } from '../support/attested.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'

const h = shared()
const EVENTS = 53
const PUBLIC = 50
const WIDTH = 256 // leaves of a bundle

/** All leaves of an agent with their openings, as the holder of a token sees them. */
async function entriesOf(reg: string, token?: string, query = ''): Promise<Body[]> {
  const found: Body[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/agents/${reg}/log-entries?limit=40&cursor=${encodeURIComponent(cursor)}${query}`
    const { status, body, text } = await h.api('GET', path, { ...(token && { token }) })
    if (status !== 200) throw new Error(text)
    found.push(...body.data)
    cursor = body.next_cursor
  }
  return found
}

const seqOf = ({ leaf }: Body): number | undefined => JSON.parse(leaf).seq
const opened = (entries: Body[]) => entries.filter(({ opening }) => opening)
const withMetadata = (entries: Body[]) => opened(entries).filter(({ opening }) => 'metadata' in opening)
const withTexts = (entries: Body[]) => opened(entries).filter(({ opening }) => 'texts' in opening)
/** The numbers from one to another. */
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Reports as many events as are never all public. */
const reportMany = (key: string, reg: string) =>
  h.reportBatch(
    key,
    range(1, EVENTS).map((n) => ({ reg, event_type: 'note', metadata: { n } })),
  )

it('opens an event that is no longer among the newest 50 only to the operator, and the seed of a batch to nobody', async () => {
  const marks = { type: `type_${randomUUID()}`, text: `note-${randomUUID()}` }
  const [{ operator, reg, key }, stranger] = [await h.newReporter({ tier: 'pro' }), await h.newReporter()]
  const keys = await Promise.all([operator, stranger.operator].map((one) => h.newKey(one, ['read'])))
  const [own, foreign] = keys.map(({ key }) => key as string)
  const first = await h.report(key, reg, { event_type: marks.type, metadata: { note: marks.text } })
  await reportMany(key, reg)
  await untilLogged(h, reg)
  const all = await entriesOf(reg, own, '&kind=event')
  expect(withMetadata(all)).toHaveLength(EVENTS + 1)
  const { salt, metadata_salt } = all.find((entry) => seqOf(entry) === 1)?.opening ?? {}
  const secrets = [first.id, marks.type, marks.text, salt, metadata_salt]
  for (const secret of secrets) expect(JSON.stringify(all)).toContain(secret)

  const texts: string[] = []
  for (const token of [undefined, foreign, stranger.operator.token]) {
    const entries = await entriesOf(reg, token)
    expect(opened(entries).flatMap((entry) => seqOf(entry) ?? [])).toEqual(
      range(EVENTS + 2 - PUBLIC, EVENTS + 1),
    )
    texts.push(JSON.stringify(entries))
  }
  const entries = await entriesOf(reg)
  const { size } = (await h.api('GET', '//log/info.json')).body
  for (const n of new Set(entries.map(({ index }) => Math.floor(index / WIDTH)))) {
    const width = Math.min(WIDTH, size - n * WIDTH)
    const name = `${String(n).padStart(3, '0')}${width < WIDTH ? `.p/${width}` : ''}`
    const bundle = await h.api('GET', `//log/tile/entries/${name}`)
    expect(bundle.text).toContain(reg)
    texts.push(bundle.text)
  }
  const { index } = entries.find((entry) => seqOf(entry) === 1) as Body
  const proof = (await h.api('GET', `//log/proof/${index}`)).text
  texts.push(proof, Buffer.from(/extra (\S+)/.exec(proof)?.[1] ?? '', 'base64').toString())
  for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([])

  const text = JSON.stringify([texts, all])
  const seeds = await h.sql(
    "select encode(seed, 'hex') as hex, encode(seed, 'base64') as base64 from tlog_batches",
  )
  for (const { hex, base64 } of seeds) {
    const raw = base64.replaceAll(/[=\n]/g, '')
    for (const form of [hex, raw, raw.replaceAll('+', '-').replaceAll('/', '_')])
      expect(text).not.toContain(form)
  }
})

it('opens to a platform the events since the agent joined, and no older revision of the agent', async () => {
  const { operator, agent, key } = await attestedAgent(h, { source: 'peer' })
  const joined = await h.newAgent(operator)
  await reportMany((await h.newKey(operator)).key, joined.reg)
  const change = (body: object) => h.api('PATCH', `/agents/${joined.reg}`, { token: operator.token, body })
  await change({ name: 'Renamed' })
  await change({ platform_slug: agent.platform_slug })
  await h.report(key, joined.reg, { metadata: { since: true } })
  await untilLogged(h, joined.reg)
  const read = await entriesOf(joined.reg, key)
  // The newest 50 are public.
  expect(withMetadata(read).flatMap((entry) => seqOf(entry) ?? [])).toEqual(
    range(EVENTS + 2 - PUBLIC, EVENTS + 1),
  )
  const agents = read.filter(({ leaf }) => JSON.parse(leaf).kind === 'agent')
  expect(agents.map(({ leaf, opening }) => [JSON.parse(leaf).rev, opening !== undefined])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ])
  expect(opened(await entriesOf(joined.reg, operator.token, '&kind=agent'))).toHaveLength(3)
})

it('opens a former text of an agent only to its operator, and to nobody after its erasure', async () => {
  const { operator, reg } = await h.newReporter()
  const marks = ['first', 'second'].map((word) => `${word} ${randomUUID()}`)
  for (const description of marks)
    await h.api('PATCH', `/agents/${reg}`, { token: operator.token, body: { description } })
  await untilLogged(h, reg)
  const shown = async (token?: string) => {
    const entries = await entriesOf(reg, token, '&kind=agent')
    expect(entries).toHaveLength(3)
    return marks.map((mark) => JSON.stringify(entries).includes(mark))
  }
  expect([await shown(), await shown(operator.token)]).toEqual([
    [false, true],
    [true, true],
  ])
  await h.sql(
    `update tlog_facts f set texts = null from agents a where f.kind = 'agent' and f.agent_id = a.id
       and f.rev < a.revision and a.reg = $1`,
    [reg],
  )
  expect([await shown(), await shown(operator.token)]).toEqual([
    [false, true],
    [false, true],
  ])
})

it('opens no redacted event, and publicly no texts of a suspended operator’s agents', async () => {
  const { operator, reg, key } = await h.newReporter()
  const report = (title: string) =>
    h.report(key, reg, { event_type: 'incident', severity: 'error', metadata: { title } })
  const redacted = await report('Taken down')
  await report('Kept')
  await untilLogged(h, reg)
  const readKey = (await h.newKey(operator, ['read'])).key
  const kindsOf = (entries: Body[]) => entries.map(({ leaf }) => JSON.parse(leaf).kind).sort()
  expect(kindsOf(withTexts(await entriesOf(reg)))).toEqual(['agent', 'incident', 'incident'])

  await h.admin('redact', redacted.id, '--reason', 'personal')
  await untilLogged(h, reg)
  for (const token of [undefined, readKey]) {
    const entries = await entriesOf(reg, token)
    expect(JSON.stringify(entries)).not.toContain('Taken down')
    expect(withMetadata(entries).map(seqOf)).toEqual([2])
    expect(kindsOf(withTexts(entries))).toEqual(['agent', 'incident'])
  }
  await h.admin('erase', redacted.id)
  const [event] = await entriesOf(reg, readKey, '&kind=event')
  expect(JSON.parse(event?.opening.facts).id).toBe(redacted.id) // facts still open, without the metadata

  await h.suspend(operator)
  const entries = await entriesOf(reg)
  expect([withMetadata(entries), withTexts(entries)]).toEqual([[], []])
  expect(kindsOf(opened(entries))).toEqual(['agent', 'event', 'event', 'incident', 'incident'])
})

it('names in the leaf of a redaction what it hides, with the reason and time that the API shows', async () => {
  const { reg, key } = await h.newReporter()
  const reported: Body[] = []
  for (const event_type of ['note', 'incident', 'incident'])
    reported.push(await h.report(key, reg, { event_type, metadata: { title: 'Private' } }))
  const hidden = reported.slice(0, 2)
  for (const [n, { id }] of hidden.entries())
    await h.admin('redact', id, '--reason', n === 0 ? 'law' : 'secret')
  await untilLogged(h, reg)

  const activity = (await h.api('GET', `/agents/${reg}/activity`)).body.data
  const incidents = (await h.api('GET', `/agents/${reg}/incidents`)).body.data
  const [redacted, ...others] = incidents.filter((incident: Body) => incident.redacted)
  expect(others).toEqual([])
  const shown = hidden.map(({ id }) => activity.find((event: Body) => event.id === id).redacted)
  expect(redacted.redacted).toEqual(shown[1])
  const leaves = (await entriesOf(reg, undefined, '&kind=redaction')).map(({ leaf }) => leaf)
  expect(leaves.toSorted()).toEqual(
    shown.map(({ reason, at }, n) => {
      const incident = n === 0 ? null : redacted.incident_id
      return JSON.stringify({ v: 1, kind: 'redaction', reg, seq: n + 1, incident, reason, at })
    }),
  )
  const without = (await entriesOf(reg, undefined, '&kind=incident')).filter(({ opening }) => !opening.texts)
  expect(without.map(({ leaf }) => JSON.parse(leaf).id)).toEqual([redacted.incident_id])
})
