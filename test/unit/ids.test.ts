import { describe, expect, test } from 'vitest'
import { uuidOfPart, uuidv7 } from '../../src/lib/ids.ts'

const NOW = new Date('2026-11-21T10:00:00.123Z')
const COUNT = 4_096
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)
const singles = Array.from({ length: COUNT }, () => uuidv7(NOW))

describe('the ids of the parts of a request', () => {
  const first = uuidv7(NOW, 0)
  const ids = Array.from({ length: COUNT }, (_, nth) => uuidOfPart(first, nth))

  test('are UUIDs of version 7 that contain the time', () => {
    for (const id of [...ids, ...singles]) {
      expect(id).toMatch(UUID_V7)
      expect(timeOf(id)).toBe(NOW.getTime())
    }
  })

  test('are distinct, sorted, and follow from each of them', () => {
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(COUNT)
    for (const id of ids) expect(uuidOfPart(id, 0)).toBe(first)
  })
})

test('ids of their own have random bits of their own', () => {
  expect(new Set(singles).size).toBe(COUNT)
  const ids = Array.from({ length: COUNT }, (_, nth) => uuidv7(NOW, nth))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(COUNT)
})
