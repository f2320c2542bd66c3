import { expect, it } from 'vitest'
import { freshWord } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'

const { api, newOperator, newAgent, newReporter, report } = shared()

it('a text is found in NFC and NFD', async () => {
  const word = `${freshWord()}ễ`
  const name = word.normalize('NFD')
  const { reg } = await newAgent(await newOperator(), { name, specializations: [word] })
  for (const form of ['NFC', 'NFD'])
    for (const by of ['q', 'specialization']) {
      const text = encodeURIComponent(word.normalize(form))
      expect((await api('GET', `/agents/search?${by}=${text}`)).body.data).toMatchObject([{ reg }])
    }
})

it('an incident has the texts of its event that are valid, and the event is stored unchanged', async () => {
  const { key, reg } = await newReporter()
  for (const [metadata, texts] of [
    [
      { title: 'Outage\u202e', description: 'Since nine' },
      { title: 'Untitled, severity warning', description: 'Since nine' },
    ],
    [
      { title: 'Outage', description: 'a\u0007' },
      { title: 'Outage', description: '' },
    ],
    [
      { title: ' Lỗi '.normalize('NFD'), description: 'a\r\n\tb' },
      { title: 'Lỗi', description: 'a\n\tb' },
    ],
  ]) {
    const event = await report(key, reg, { event_type: 'incident', severity: 'warning', metadata })
    expect(event.metadata).toEqual(metadata)
    const { data } = (await api('GET', `/agents/${reg}/incidents`)).body
    expect(data.find(({ created_at }: Body) => created_at === event.created_at)).toMatchObject(texts ?? {})
  }
})
