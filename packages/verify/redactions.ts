import type { Leaf } from '../../src/transparency/leaf.ts'
import { isRecent, type Seen } from './head.ts'
import { differenceOf } from './problems.ts'

export type RedactionLeaf = Extract<Leaf, { kind: 'redaction' }>

export const HIDDEN = 'is hidden, but no leaf states that it was redacted'

/** What is wrong about a redaction as it is shown; null if its leaf states the same, or it is too recent to have one. */
export function wrongRedaction(shown: unknown, leaf: RedactionLeaf | undefined, head: Seen): string | null {
  const { at, reason } = Object(shown)
  if (!leaf) return isRecent(head, at) ? null : HIDDEN
  const difference = differenceOf({ at, reason }, { at: leaf.at, reason: leaf.reason })
  return difference && `redacted: ${difference}`
}
