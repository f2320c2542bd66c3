import { expect, test } from 'vitest'
import { sourceOf } from '../support/source.ts'

const AGENTS = 'identity of the agent’s operator'
const OTHER = 'identity of another person'
const platform = (identity: string | null, is_established = false, is_distrusted = false) => ({
  identity,
  is_established,
  is_distrusted,
})

test.each([
  ['a key of the operator', AGENTS, null, 'self'],
  ['a platform of the same person', AGENTS, platform(AGENTS), 'self'],
  ['an established platform of the same person', AGENTS, platform(AGENTS, true), 'self'],
  ['a platform of an unverified operator', AGENTS, platform(null), 'self'],
  ['an established platform of an unverified operator', AGENTS, platform(null, true), 'self'],
  ['a platform of a verified operator, for an unverified operator', null, platform(OTHER, true), 'unproven'],
  ['a platform of an unverified operator, for an unverified operator', null, platform(null, true), 'self'],
  ['a platform of another person', AGENTS, platform(OTHER), 'peer'],
  ['an established platform of another person', AGENTS, platform(OTHER, true), 'independent'],
  ['an established platform that is distrusted', AGENTS, platform(OTHER, true, true), 'peer'],
  ['a platform that is distrusted', AGENTS, platform(OTHER, false, true), 'peer'],
] as const)('a report of %s has the source %4$s', (_, agent_identity, reporter, source) => {
  expect(sourceOf(agent_identity, reporter)).toBe(source)
})
