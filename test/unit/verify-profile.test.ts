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
const ZEROS = new Uint8Array(16)

/** The opening of facts that commit to texts, and the commitment to the facts. */
async function sealed(shown: object) {
  const texts = JSON.stringify(shown)
  const facts = JSON.stringify({ reg: REG, texts: await commit(ZEROS, texts) })
  return { c: await commit(ZEROS, facts), opening: { salt: SALT, facts, texts_salt: SALT, texts } }
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
  const { c, opening } = await sealed({ name: 'Courier' })
  expect(await verify(c, opening)).toBe('revision 1, leaf 0')
})

it.each([
  ['the commitment is of other facts', { c: 'B'.repeat(43) }, {}],
  ['the commitment is null, and the salt malformed', { c: null }, { salt: 'A' }],
  ['the texts are other ones', {}, { texts: '{"name":"Other"}' }],
  ['the texts are hidden', {}, { texts: undefined, texts_salt: undefined }],
])('fails if %s', async (_, leaf, change) => {
  const { c, opening } = { ...(await sealed({ name: 'Courier' })), ...leaf }
  await expect(verify(c, { ...opening, ...change })).rejects.toThrow(CheckFailed)
})

it('fails if the token or the profile has another value of a field', async () => {
  const { c, opening } = await sealed({ name: 'Other' })
  const failing = (shown: object) => verify(c, opening, shown)
  await expect(failing({ name: 'Other' })).rejects.toThrow('the token: name is "Courier", must be "Other"')
  await expect(failing({ name: 'Courier' })).rejects.toThrow(
    'the profile: name is "Courier", must be "Other"',
  )
})
