import { expect, it } from 'vitest'
import { eachField } from '../../src/db/rollup-fields.ts'
import { scoreAfter } from '../../src/trust/raise.ts'
import type { Rollup } from '../../src/trust/rollup.ts'

const TODAY = '2026-11-20'
const failures: Rollup = { ...eachField(() => 0), day: TODAY, source: 'self', events: 20, failed: 20 }

it('says what two weeks of good work of a source lead to, and what none does', () => {
  expect(scoreAfter(null, [], TODAY, 0)).toBeNull()
  const [own, peer, independent] = (['self', 'peer', 'independent'] as const).map(
    (source) => scoreAfter(source, [], TODAY, 0) ?? 0,
  )
  expect(own).toBe(59)
  expect(peer).toBeGreaterThan(70)
  expect(peer).toBeLessThan(77.3)
  expect(independent).toBeGreaterThan(80)
  const idle = scoreAfter(null, [failures], TODAY, 0) ?? 0
  expect(idle).toBeLessThan(50)
  expect(scoreAfter('independent', [failures], TODAY, 0)).toBeGreaterThan(idle)
  expect(scoreAfter('independent', [], TODAY, 1)).toBeLessThan(independent ?? 0)
})
