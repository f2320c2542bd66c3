import { expect, it } from 'vitest'
import type { AgentEntry } from '../../packages/verify/entries.ts'
import type { Head } from '../../packages/verify/head.ts'
import { CheckFailed, Inconclusive } from '../../packages/verify/problems.ts'
import { requireEntitled } from '../../packages/verify/withheld.ts'

const reg = 'REG-2026-0001-0042-U'
const TEXTS = { name: reg, description: '', specializations: [] }
const withheld = Object.keys(TEXTS)
const operator = { operator_name: 'Operator 126737', operator_name_verified: false }
const shown = {
  reg,
  operator_id: '01a1fc89-0000-7e90-91f2-582afd126737',
  operator_status: 'active',
  platform_slug: 'acme-market',
}

const act = (index: number, state: 'withheld' | 'shown'): AgentEntry => ({
  index,
  leaf: { v: 1, kind: 'withholding', reg, rev: index, state, at: '2026-11-12T10:00:00.000Z' },
  opening: null,
})
const head = { voided: [] as unknown } as Head
const judge = (change: object, entries: AgentEntry[] = []) =>
  requireEntitled('the profile', { ...shown, ...change }, { head, entries })

it('is entitled by a suspension or by the newest leaf, and names it', () => {
  const suspended = { ...TEXTS, ...operator, operator_status: 'suspended' }
  expect(judge({ ...suspended, withheld: [...withheld, ...Object.keys(operator)] })).toBe(
    'its operator is suspended',
  )
  expect(judge({ ...TEXTS, withheld }, [act(7, 'withheld')])).toBe('leaf 7 states it')
  expect(judge({ platform_name: 'acme-market', withheld: ['platform_name'] })).toBeNull()
  expect(judge({ name: 'Courier' })).toBeNull()
})

it.each<[string, AgentEntry[]]>([
  ['no leaf states it', []],
  ['the newest leaf states that they are shown', [act(7, 'withheld'), act(8, 'shown')]],
])('cannot be completed if %s', (_, entries) => {
  expect(() => judge({ ...TEXTS, withheld }, entries)).toThrow(Inconclusive)
})

it.each<[string, object]>([
  ['a field that is no text', { class: 'A', withheld: ['class'] }],
  ['a status', { operator_status: 'suspended', withheld: ['operator_status'] }],
  ['a field of all objects', { withheld: ['toString'] }],
  ['another text in place of the substitute', { ...TEXTS, name: 'Courier', withheld }],
  ['a verified name', { ...operator, operator_name_verified: true, withheld: Object.keys(operator) }],
  ['the name of an active operator', { ...operator, withheld: Object.keys(operator) }],
])('fails if the registry withholds %s', (_, change) => {
  expect(() => judge(change, [act(7, 'withheld')])).toThrow(CheckFailed)
})
