import { expect, it } from 'vitest'
import type { Source } from '../../src/db/enums.ts'
import { scoreAfter } from '../../src/trust/raise.ts'
import { NOTHING, type Rollup } from '../../src/trust/rollup.ts'

const TODAY = '2026-11-20'
const failures: Rollup = { ...NOTHING, day: TODAY, source: 'self', events: 20, failed: 20 }

it('says what two weeks of good work of a source lead to, and what none does', () => {
  expect(scoreAfter(null, [], TODAY, 0)).toBeNull()
  const after = (source: Source, ...rows: Rollup[]) => scoreAfter(source, rows, TODAY, 0)
  expect([after('self'), after('peer'), after('independent')]).toEqual([59, 77.2, 93.3])
  expect(scoreAfter(null, [failures], TODAY, 0)).toBe(39.5)
  expect(after('independent', { ...failures, source: 'independent' })).toBe(87.7)
  expect(scoreAfter('independent', [], TODAY, 1)).toBeLessThan(93.3)
})
