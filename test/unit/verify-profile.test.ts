import { expect, it } from 'vitest'
import type { Head } from '../../packages/verify/head.ts'
import { verifyProfile } from '../../packages/verify/log.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { openTree } from '../../packages/verify/tree.ts'
import { utf8 } from '../../src/lib/crypto.ts'
import { hashLeaf } from '../../src/transparency/merkle.ts'
import { commit } from '../../src/transparency/opening.ts'

const REG = 'REG-2026-0001-0042-U'
const SALT = 'A'.repeat(22) // 16 bytes
const FACTS = JSON.stringify({ reg: REG, name: 'Courier' })

/** Verifies the profile of an agent whose only leaf has a commitment. */
async function verify(c: string | null, opening: { salt: string; facts: string }) {
  const leaf = JSON.stringify({ v: 1, kind: 'agent', reg: REG, rev: 1, c })
  const checkpoint = { origin: 'registry.example/log', size: 1, root: await hashLeaf(utf8(leaf)) }
  const tree = await openTree(checkpoint, async () => checkpoint.root.slice().buffer)
  const info = { origin: checkpoint.origin, vkeys: [], witnesses: [], merge_delay_seconds: 60, restores: [] }
  const head: Head = { info, checkpoint, tree, voided: [] }
  const page = { data: [{ index: 0, leaf, opening }], next_cursor: null }
  const service = { get: async () => null, fetchJson: async () => page }
  return verifyProfile(service, REG, head, { reg: REG, checked_at: '', name: 'Courier' })
}

it('is verified if the leaf commits to it', async () => {
  const c = await commit(new Uint8Array(16), FACTS)
  const [facts] = await verify(c, { salt: SALT, facts: FACTS })
  expect(facts).toEqual({ reg: REG, name: 'Courier' })
})

it.each([
  ['is of other facts', 'B'.repeat(43), { salt: SALT, facts: FACTS }],
  ['is null, and the salt is malformed', null, { salt: 'A', facts: FACTS }],
])('fails if the commitment %s', async (_, c, opening) => {
  await expect(verify(c, opening)).rejects.toThrow(CheckFailed)
})

it('fails if the token has another value of a field', async () => {
  const facts = JSON.stringify({ reg: REG, name: 'Other' })
  const c = await commit(new Uint8Array(16), facts)
  await expect(verify(c, { salt: SALT, facts })).rejects.toThrow('the token: name is Courier, must be Other')
})
