import { describe, expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'

const { api, newOperator, newAgent, newReporter, report } = shared()

const incidentsOf = async (reg: string): Promise<Body[]> =>
  (await api('GET', `/agents/${reg}/incidents`)).body.data

describe('a name or description', () => {
  it('with deceptive characters is rejected with the reason', async () => {
    const { token } = await newOperator()
    const body = { name: 'Ρaypal', class: 'A' }
    const message = /^name: must not mix Latin and Greek letters in one word: 'Ρaypal' at character 1$/
    expectError(await api('POST', '/agents', { token, body }), 400, 'VALIDATION_ERROR', message)
    expectError(await api('PATCH', '/operators/me', { token, body }), 400, 'VALIDATION_ERROR', message)
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

  it.each([
    [{ title: 'Outage\u202e', description: 'Since nine' }, 'Untitled, severity warning', 'Since nine'],
    [{ title: 'Outage', description: 'a\u0007' }, 'Outage', ''],
  ])(
    'are those that are valid, and the event is stored unchanged: %j',
    async (metadata, title, description) => {
      const { event, incident } = await open(metadata)
      expect(event.metadata).toEqual(metadata)
      expect(incident).toMatchObject({ title, description })
    },
  )

  it('are in NFC, the title on one line', async () => {
    const { incident } = await open({ title: ' Lỗi '.normalize('NFD'), description: 'a\r\n\tb' })
    expect(incident).toMatchObject({ title: 'Lỗi', description: 'a\n\tb' })
  })
})

it('an event type with invisible characters is rejected, alone and in a batch', async () => {
  const { key: token, reg } = await newReporter()
  const body = { reg, event_type: 'a\u200b' }
  const message = /^event_type: .*U\+200B at character 2$/
  expectError(await api('POST', '/activity/report', { token, body }), 400, 'VALIDATION_ERROR', message)
  const batch = await api('POST', '/activity/report/batch', { token, body: { events: [body] } })
  expect(batch).toMatchObject({ status: 207, body: { accepted: 0 } })
  expect(batch.body.data[0].error.message).toMatch(message)
})
