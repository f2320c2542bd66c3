import { describe, expect, test } from 'vitest'
import { uuidsv7, uuidv7 } from '../../src/lib/ids.ts'

const NOW = new Date('2026-11-21T10:00:00.123Z')
const COUNT = 4_096
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

describe('a batch of ids', () => {
  const ids = uuidsv7(NOW, COUNT)

  test('has UUIDs of version 7 that contain the time', () => {
    expect(ids).toHaveLength(COUNT)
    for (const id of ids) {
      expect(id).toMatch(UUID_V7)
      expect(timeOf(id)).toBe(NOW.getTime())
    }
  })

  test('is sorted', () => {
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(COUNT)
  })

  test('has random bits outside of time and counter in each', () => {
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(COUNT)
    expect(new Set(ids.map((id) => id.charAt(19)))).toEqual(new Set('89ab'))
    const digits = ids.flatMap((id) => [...id.slice(20).replace('-', '')])
    const share = (digit: string) => digits.filter((one) => one === digit).length / digits.length
    for (const digit of '0123456789abcdef') expect(share(digit)).toBeCloseTo(1 / 16, 2)
  })

  test('can be empty', () => {
    expect(uuidsv7(NOW, 0)).toEqual([])
  })
})

test('a single id contains its time and is unique', () => {
  const ids = Array.from({ length: COUNT }, () => uuidv7(NOW))
  for (const id of ids) {
    expect(id).toMatch(UUID_V7)
    expect(timeOf(id)).toBe(NOW.getTime())
  }
  expect(new Set(ids).size).toBe(COUNT)
})
