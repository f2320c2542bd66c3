import { describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'

const { api, newOperator, newAgent, newReporter, report } = shared()

const incidentsOf = async (reg: string): Promise<Body[]> =>
  (await api('GET', `/agents/${reg}/incidents`)).body.data

describe('a name or description', () => {
  it.each([
    ['invoice\u202efdp.exe', /^name: .*U\+202E at character 8$/],
    ['Ρaypal', /^name: must not mix Latin and Greek letters in one word: 'Ρaypal' at character 1$/],
  ])('with deceptive characters is rejected with the reason: %j', async (name, message) => {
    const { token } = await newOperator()
    expectError(
      await api('POST', '/agents', { token, body: { name, class: 'A' } }),
      400,
      'VALIDATION_ERROR',
      message,
    )
    expectError(
      await api('PATCH', '/operators/me', { token, body: { name } }),
      400,
      'VALIDATION_ERROR',
      message,
    )
  })

  it('is stored in NFC with line feeds, and its length is counted in NFC', async () => {
    const name = 'ễ'.repeat(255)
    const description = 'Một\r\n\thai'
    const given = { name: name.normalize('NFD'), description: description.normalize('NFD') }
    expect(await newAgent(await newOperator(), given)).toMatchObject({ name, description: 'Một\n\thai' })
  })

  it('has single spaces as blanks in a name, and a line separator only in a free text', async () => {
    const operator = await newOperator()
    const given = { name: ' \u3000Invoice \u00a0 Reader\u2003', specializations: ['tax\u00a0 law '] }
    const agent = await newAgent(operator, { ...given, description: 'one\u2028  two' })
    expect(agent).toMatchObject({
      name: 'Invoice Reader',
      specializations: ['tax law'],
      description: 'one\n  two',
    })
    const { token } = operator
    const changed = await api('PATCH', '/operators/me', { token, body: { name: '\u00a0Ada  Lovelace' } })
    expect(changed.body.name).toBe('Ada Lovelace')
    for (const blank of ['\u2800', '\ufffc', '\u{1d159}', '\u{13441}', '\u2028']) {
      const body = { name: `Ada${blank}Lovelace` }
      expectError(
        await api('PATCH', '/operators/me', { token, body }),
        400,
        'VALIDATION_ERROR',
        /^name: .*U\+/,
      )
    }
    const emoji = { name: 'Ada 👩‍💻 ❤️' }
    expect((await api('PATCH', '/operators/me', { token, body: emoji })).body).toMatchObject(emoji)
  })

  it('is found in NFC and NFD', async () => {
    const word = `${freshWord()}ễ`
    const { reg } = await newAgent(await newOperator(), {
      name: word.normalize('NFD'),
      specializations: [word],
    })
    const regs = async (query: string) =>
      (await api('GET', `/agents/search?${query}`)).body.data.map((item: Body) => item.reg)
    for (const form of ['NFC', 'NFD']) {
      const text = encodeURIComponent(word.normalize(form))
      expect(await regs(`q=${text}`)).toEqual([reg])
      expect(await regs(`specialization=${text}`)).toEqual([reg])
    }
  })
})

describe('the texts of an incident', () => {
  const open = async (metadata: object, severity = 'warning') => {
    const { key, reg } = await newReporter()
    const event = await report(key, reg, { event_type: 'incident', severity, metadata })
    const [incident] = await incidentsOf(reg)
    return { event, incident }
  }

  it.each(['Outage\u202e', 1])(
    'use the default title for an invalid one, and the event is stored unchanged: %j',
    async (title) => {
      const metadata = { title, description: 'Since nine' }
      const { event, incident } = await open(metadata)
      expect(event.metadata).toEqual(metadata)
      expect(incident).toMatchObject({ title: 'Untitled, severity warning', description: 'Since nine' })
    },
  )

  it('omit an invalid description', async () => {
    const { event, incident } = await open({ title: 'Outage', description: 'a\u0007' })
    expect(event.metadata.description).toBe('a\u0007')
    expect(incident).toMatchObject({ title: 'Outage', description: '' })
  })

  it('are in NFC, the title on one line', async () => {
    const { incident } = await open({ title: ' Lỗi '.normalize('NFD'), description: 'a\r\n\tb' })
    expect(incident).toMatchObject({ title: 'Lỗi', description: 'a\n\tb' })
  })
})

describe('an event type', () => {
  it.each([
    ['a\u200b', /^event_type: .*U\+200B at character 2$/],
    ['task_completed ', /^event_type: must not start or end with whitespace: U\+0020 at character 15$/],
  ])('is rejected as %j', async (event_type, message) => {
    const { key: token, reg } = await newReporter()
    const body = { reg, event_type }
    expectError(await api('POST', '/activity/report', { token, body }), 400, 'VALIDATION_ERROR', message)
    const batch = await api('POST', '/activity/report/batch', { token, body: { events: [body] } })
    expect(batch).toMatchObject({ status: 207, body: { accepted: 0 } })
    expect(batch.body.data[0].error.message).toMatch(message)
  })
})
