import { expect, it } from 'vitest'
import { startChecks } from '../../packages/verify/checks.ts'
import { entriesCheck } from '../../packages/verify/entries.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { profileCheck } from '../../packages/verify/profile.ts'
import { openTree } from '../../packages/verify/tree.ts'
import { utf8 } from '../../src/lib/crypto.ts'
import { hashLeaf } from '../../src/transparency/merkle.ts'
import { commit } from '../../src/transparency/opening.ts'

const REG = 'REG-2026-0001-0042-U'
const SALT = 'A'.repeat(22) // 16 bytes
const opened = async (name: string) => {
  const texts = JSON.stringify({ name })
  const facts = JSON.stringify({ reg: REG, texts: await commit(new Uint8Array(16), texts) })
  return { salt: SALT, facts, texts_salt: SALT, texts }
}

/** Verifies the profile of an agent whose only leaf has a commitment. */
async function verify(
  c: string | null,
  opening: { salt: string; facts: string },
  shown: object = { name: 'Courier' },
) {
  const leaf = JSON.stringify({ v: 1, kind: 'agent', reg: REG, rev: 1, c })
  const checkpoint = { origin: 'registry.example/log', size: 1, root: await hashLeaf(utf8(leaf)) }
  const context = startChecks('https://registry.example', REG, {
    fetch: async (url) =>
      Response.json(
        url.includes('/log-entries')
          ? { data: [{ index: 0, leaf, opening }], next_cursor: null }
          : { reg: REG, ...shown },
      ),
  })
  const tree = await openTree(checkpoint, async () => checkpoint.root.slice().buffer)
  const info = {
    origin: checkpoint.origin,
    vkeys: [],
    witnesses: [],
    keys: [],
    restores: [],
    previous_origins: [],
  }
  context.head = { info, path: '/log', note: '', checkpoint, tree, keys: [], voided: [], seenAt: new Date() }
  const verification = { reg: REG, checked_at: '', active: true, name: 'Courier' }
  context.claims = { iss: '', iat: 0, exp: 0, verification, log: null, kid: '', jwk: {} }
  await entriesCheck.verify(context)
  return profileCheck.verify(context)
}

it('is verified if the leaf commits to it', async () => {
  const opening = await opened('Courier')
  expect(await verify(await commit(new Uint8Array(16), opening.facts), opening)).toBe('revision 1, leaf 0')
})

it.each([
  ['is of other facts', 'B'.repeat(43), {}],
  ['is null, and the salt is malformed', null, { salt: 'A' }],
])('fails if the commitment %s', async (_, c, changes) => {
  await expect(verify(c, { ...(await opened('Courier')), ...changes })).rejects.toThrow(CheckFailed)
})

it('fails if the token or the profile has another value of a field', async () => {
  const opening = await opened('Other')
  const c = await commit(new Uint8Array(16), opening.facts)
  const failing = (shown: object) => verify(c, opening, shown)
  await expect(failing({ name: 'Other' })).rejects.toThrow('the token: name is "Courier", must be "Other"')
  await expect(failing({ name: 'Courier' })).rejects.toThrow(
    'the profile: name is "Courier", must be "Other"',
  )
})
