import { describe, expect, it } from 'vitest'
import { commit, type Opening, openLeaf } from '../../packages/verify/opening.ts'
import { publicJwk, thumbprint } from '../../src/transparency/jwk.ts'
import { type Leaf, leafBytes, MAX_LEAF_BYTES, readLeaf, readLeaves } from '../../src/transparency/leaf.ts'
import vectors from '../vectors/openings.json' with { type: 'json' }

const { sealed, clear } = vectors
const texts = [...clear, ...sealed.map(({ leaf }) => leaf)]
const bytesOf = (text: string) => new TextEncoder().encode(text)

function leafOf(text: string): Leaf {
  const { leaf } = readLeaf(bytesOf(text))
  if (!leaf) throw new Error(`no leaf: ${text}`)
  return leaf
}

const ofKind = (kind: string) => texts.find((text) => text.includes(`"kind":"${kind}"`)) ?? ''

const TOTALS = { events: 40, tasks_completed: 38, tasks_failed: 2, incident_count: 1 }

describe('the bytes of a leaf', () => {
  it.each(texts)('equal those computed by Python: %s', (text) => {
    const leaf = leafOf(text)
    expect(leafBytes(leaf)).toEqual(bytesOf(text))
    expect(leaf).toEqual(JSON.parse(text))
  })

  it('do not depend on the order of its fields', () => {
    for (const text of texts) {
      const backwards = Object.fromEntries(Object.entries(leafOf(text)).reverse()) as unknown as Leaf
      expect(leafBytes(backwards)).toEqual(bytesOf(text))
    }
  })

  it('identify a key by its thumbprint', async () => {
    const keys = texts.map(leafOf).filter((leaf) => leaf.kind === 'key')
    expect(keys.map(({ use }) => use)).toEqual(['token', 'log'])
    for (const { kid, key } of keys) expect(await thumbprint(key)).toBe(kid)
    expect(publicJwk({ ...keys[0]?.key, d: 'secret', alg: 'ES256' })).toEqual(keys[0]?.key)
  })

  it.each([
    ['a seq of 0', 'event', { seq: 0 }],
    ['a seq of 2^53', 'event', { seq: 2 ** 53 }],
    ['a short commitment', 'event', { c: 'AAAA' }],
    ['a commitment with spare bits', 'event', { c: `${'A'.repeat(42)}B` }],
    ['an id in capitals', 'incident', { id: '01A1FC89-CF65-7E90-91F2-582AFD126737' }],
    ['an impossible day', 'day', { day: '2026-02-30' }],
    ['rows of another day', 'day', { rows: [['2026-11-10', 'self', 1]] }],
    ['a row of negative counters', 'day', { rows: [['2026-11-11', 'self', -1]] }],
    ['totals of other events than its last one', 'day', { totals: { ...TOTALS, events: 41 } }],
    ['incomplete totals', 'day', { totals: { ...TOTALS, incident_count: undefined } }],
    ['a reversed range', 'restore', { from: 120, to: 100 }],
    ['a time without milliseconds', 'restore', { at: '2026-11-12T10:00:00Z' }],
    ['an incident without its id', 'redaction', { incident: '' }],
    ['half of a surrogate pair', 'log', { origin: '\ud800' }],
    ['another scheme', 'log', { spec: 'javascript:alert(1)' }],
  ])('are not written for %s', (_, kind, change) => {
    const leaf = { ...leafOf(ofKind(kind)), ...change } as Leaf
    expect(() => leafBytes(leaf)).toThrow(`leaf: not a leaf of kind ${kind}`)
    expect(readLeaf(bytesOf(JSON.stringify(leaf))).reason).toBe('malformed')
  })

  it('are at most 65,535', () => {
    const leaf = leafOf(ofKind('log')) as Extract<Leaf, { kind: 'log' }>
    const room = MAX_LEAF_BYTES - leafBytes({ ...leaf, previous: '' }).length
    expect(leafBytes({ ...leaf, previous: 'x'.repeat(room) })).toHaveLength(MAX_LEAF_BYTES)
    expect(() => leafBytes({ ...leaf, previous: 'x'.repeat(room + 1) })).toThrow('at most 65535 bytes')
    const longer = bytesOf(JSON.stringify({ ...leaf, previous: 'x'.repeat(room + 1) }))
    expect(readLeaf(longer).reason).toBe('malformed')
  })
})

describe('a parsed leaf', () => {
  const event = ofKind('event')

  it.each([
    ['whitespace', event.replace(',', ', ')],
    ['another order', event.replace('"v":1,"kind":"event"', '"kind":"event","v":1')],
    ['an extra field', event.replace('}', ',"more":1}')],
    ['a field twice', event.replace('"v":1', '"v":1,"v":1')],
    ['a missing field', event.replace('"seq":1,', '')],
    ['a number in another notation', event.replace('"seq":1', '"seq":1.0')],
    ['an escape that is not needed', event.replace('REG', '\\u0052EG')],
    ['a text that is not ASCII', ofKind('log').replace('registry', 'régistry')],
    ['invalid JSON', '{'],
    ['a byte order mark', `\ufeff${event}`],
  ])('is malformed with %s', (_, text) => {
    expect(readLeaf(bytesOf(text))).toEqual({ leaf: null, reason: 'malformed' })
  })

  it('is malformed when it is not UTF-8', () => {
    expect(readLeaf(Uint8Array.of(0x7b, 0xff, 0x7d)).reason).toBe('malformed')
  })

  it('is malformed with any field replaced by a wrong value', () => {
    const others = [null, true, -1, 0.5, 'x', '', [], {}, [''], ['2026-11-11'], [[]], [null], { '': 1 }]
    const valid = [
      'platform "x"',
      'origin "x"',
      'previous "x"',
      'previous ""',
      'rows []',
      'by []',
      'score null',
      'incident null',
    ]
    for (const text of texts) {
      const { v, kind, ...facts } = JSON.parse(text)
      for (const name of Object.keys(facts)) {
        for (const other of others) {
          if (valid.includes(`${name} ${JSON.stringify(other)}`)) continue
          const changed = JSON.stringify({ v, kind, ...facts, [name]: other })
          expect([changed, readLeaf(bytesOf(changed)).reason]).toEqual([changed, 'malformed'])
        }
      }
    }
  })

  it.each([
    ['{"v":2,"kind":"event","reg":"REG"}', '2', 'event'],
    ['{"v":1,"kind":"toString"}', '1', 'toString'],
    ['{"v":"1","kind":7}', '1', '7'],
    ['{}', 'none', 'none'],
  ])('is unknown, not malformed, in a later version or kind: %s', (text, version, kind) => {
    expect(readLeaf(bytesOf(text))).toEqual({ leaf: null, reason: 'unknown', version, kind })
  })

  it('is counted also when it is unknown or malformed', () => {
    const entries = [
      event,
      '{"v":2,"kind":"event"}',
      '{',
      ofKind('day'),
      '{"v":2,"kind":"event"}',
      '{"v":1,"kind":"x"}',
    ]
    const summary = readLeaves(entries.map(bytesOf), 256)
    expect(summary.leaves.map(({ index, leaf }) => [index, leaf.kind])).toEqual([
      [256, 'event'],
      [259, 'day'],
    ])
    expect(Object.fromEntries(summary.unknown)).toEqual({ '2 event': 2, '1 x': 1 })
    expect(summary.malformed).toEqual([258])
  })
})

describe('an opening', () => {
  const [first] = sealed
  if (!first) throw new Error('no vector')
  const open = (change: object) => openLeaf(leafOf(first.leaf), { ...first.opening, ...change } as Opening)

  it.each(sealed)('made by Python opens leaf $index, also without what may be hidden', async (vector) => {
    const { opening } = vector
    const leaf = leafOf(vector.leaf)
    const content = JSON.parse(opening.metadata ?? opening.texts ?? '')
    const facts = JSON.parse(opening.facts)
    expect(await openLeaf(leaf, opening as Opening)).toEqual({ facts, content, reason: null })
    const hidden = { salt: opening.salt, facts: opening.facts }
    expect(await openLeaf(leaf, hidden)).toEqual({ facts, content: null, reason: null })
  })

  it('does not open another leaf or changed content', async () => {
    expect((await open({ facts: first.opening.facts.replace('info', 'warn') })).reason).toBe('other_facts')
    expect((await open({ salt: first.opening.metadata_salt })).reason).toBe('other_facts')
    expect((await open({ metadata: '{}' })).reason).toBe('other_metadata')
    expect((await open({ metadata_salt: first.opening.salt })).reason).toBe('other_metadata')
    const agent = sealed.find(({ leaf }) => leaf.includes('"agent"'))
    const changed = { ...agent?.opening, texts: '{"name":"Other"}' } as Opening
    expect((await openLeaf(leafOf(agent?.leaf ?? ''), changed)).reason).toBe('other_texts')
    expect((await openLeaf(leafOf(ofKind('day')), first.opening)).reason).toBe('not_sealed')
  })

  it.each([
    ['a salt of 15 bytes', { salt: 'A'.repeat(20) }],
    ['a salt that is not base64url', { salt: '*'.repeat(22) }],
    ['facts that are not an object', { facts: '[]' }],
    ['metadata without its salt', { metadata_salt: undefined }],
    ['a salt without metadata', { metadata: undefined }],
    ['metadata that is not JSON', { metadata: '{' }],
    ['facts that are not well-formed Unicode', { facts: '{"a":"\ud800"}' }],
  ])('is malformed with %s', async (_, change) => {
    expect(await open(change)).toEqual({ facts: null, content: null, reason: 'malformed' })
  })

  it('needs a salt of exactly 16 bytes', async () => {
    expect(await commit(new Uint8Array(32), '{}')).toBeNull()
    expect(await commit(null, '{}')).toBeNull()
    expect(await commit(new Uint8Array(16), '{}')).toHaveLength(43)
  })
})
