import { expect, it } from 'vitest'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import { CheckFailed, Inconclusive } from '../../packages/verify/problems.ts'
import { openService } from '../../packages/verify/service.ts'
import { verifyAgent } from '../../scripts/log-page/agent.ts'
import { openHead } from '../../scripts/log-page/head.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { append, sign } from '../support/log/log.ts'
import { inJson, type Tamper } from '../support/log/serve.ts'
import { addLater, event, OTHER, REG, type Story, tellStory } from '../support/log/story.ts'

async function verify(story: Story, reg = REG, pinned = '') {
  const service = openService(story.service.url)
  const head = await openHead(service, pinned)
  return head && verifyAgent(service, head, reg)
}

async function problemsOf(story: Story): Promise<string[]> {
  const found = await verify(story)
  return (found?.findings ?? []).flatMap(({ holds, what }) => (holds ? [] : [what]))
}

/** Responds with a status to all paths that contain a text. */
const failing =
  (part: string, status: number): Tamper =>
  (path) =>
    path.includes(part) ? Response.json({}, { status }) : null

it('verifies an agent with several pages of leaves, and names what is not opened', async () => {
  await using story = await tellStory()
  const found = await verify(story, REG, story.log.vkey)
  expect(found?.findings).toEqual([
    {
      holds: true,
      what: '145 leaves are in the signed tree, and no number is missing or duplicate: 136 events, 2 revisions of the agent, 2 of incidents, 5 days',
    },
    {
      holds: true,
      what: 'The public content matches the log: 50 events, 1 incident and the profile',
    },
    { holds: true, what: 'The public activity matches the log: 50 events' },
  ])
  expect(found?.name).toBe('Courier')
  expect(found?.notes).toEqual([expect.stringMatching(/^86 older events cannot be opened/)])
  expect(found?.events[0]?.seq).toBe(136)
})

it.each<[what: string, tamper: (story: Story) => Tamper | undefined, finding: string]>([
  [
    'an event with other content',
    (story) => {
      event(story, 130).metadata = { code: 'E43' }
    },
    'event 130 does not match the log (other_facts)',
  ],
  [
    'an event missing from the list of leaves',
    () =>
      inJson('log-entries', ({ data, ...page }) => ({
        ...page,
        data: data.filter(({ leaf }: { leaf: string }) => !leaf.includes('"seq":100,"c"')),
      })),
    'events: seq 100 missing',
  ],
  [
    'a recent event that is not opened',
    () =>
      inJson('log-entries', ({ data }) => {
        for (const entry of data) if (entry.leaf.includes('"seq":120,"c"')) delete entry.opening
      }),
    'events that must be public are not shown: seq 120',
  ],
  [
    'metadata that is withheld without a redaction leaf',
    () =>
      inJson('log-entries', ({ data }) => {
        for (const { leaf, opening } of data) {
          if (!leaf.includes('"seq":120,"c"')) continue
          delete opening.metadata
          delete opening.metadata_salt
        }
      }),
    'event 120 is shown without its metadata, but no leaf states that it was redacted',
  ],
  [
    'an activity list that differs from the log',
    () =>
      inJson('activity', ({ data }) => {
        data[0].severity = 'critical'
      }),
    'event 136: severity is listed as critical, the log has warning',
  ],
])('finds %s', async (_, tamper, finding) => {
  await using story = await tellStory()
  story.service.tamper = tamper(story) ?? (() => null)
  expect(await problemsOf(story)).toContain(finding)
})

it.each<[what: string, tamper: Tamper, problem: RegExp]>([
  [
    'a listed leaf that is not in the tree',
    inJson('log-entries', ({ data }) => {
      data[3].leaf = data[4].leaf
    }),
    /^leaf \d+ is a different one in the signed tree$/,
  ],
  [
    'leaves out of order',
    inJson('log-entries', ({ data }) => ({ data: data.reverse() })),
    /^the entries are listed out of order/,
  ],
  [
    'tiles of another tree',
    async (path, response) => {
      if (!path.includes('/tile/0/')) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      bytes[40] = (bytes[40] ?? 0) ^ 1
      return new Response(bytes)
    },
    /^the tiles do not result in the signed root$/,
  ],
  [
    'a changed head',
    async (path, response) =>
      path.includes('checkpoint')
        ? new Response((await response.text()).replace('\n381\n', '\n380\n'))
        : response,
    /^a signature of the head does not verify$/,
  ],
  [
    'another agent’s leaves',
    async (path, response) =>
      path.includes('log-entries') ? fetch(new URL(path.replace(REG, OTHER), origin)) : response,
    /^leaf \d+ is listed, but is not of REG-2026-0001-0042-U$/,
  ],
])('stops at %s', async (_, tamper, problem) => {
  await using story = await tellStory()
  origin = story.service.url
  story.service.tamper = (path, response) => (path.includes(OTHER) ? null : tamper(path, response))
  const error = await verify(story).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(CheckFailed)
  expect(error.message).toMatch(problem)
})
let origin = ''

it('accepts only the pinned key', async () => {
  await using story = await tellStory()
  const { vkey } = await makeSignerKey(story.log.origin)
  await expect(verify(story, REG, vkey)).rejects.toThrow('the head is not signed by the key of the log')
  await expect(verify(story, REG, 'x')).rejects.toThrow(Inconclusive)
})

it('returns no result for a log that is off, an unknown agent, and a failing service', async () => {
  await using story = await tellStory()
  story.service.tamper = failing('log-entries', 404)
  expect(await verify(story)).toBeNull()
  story.service.tamper = failing('log-entries', 500)
  await expect(verify(story)).rejects.toThrow(Inconclusive)
  story.service.tamper = failing('checkpoint', 404)
  await expect(verify(story)).rejects.toThrow('no signed head yet')
  story.service.tamper = failing('info.json', 404)
  expect(await verify(story)).toBeNull()
  await expect(openHead(openService('http://127.0.0.1:9'))).rejects.toThrow('are you offline?')
})

it('retries after a 429', async () => {
  await using story = await tellStory()
  let busy = 2
  story.service.tamper = (path) => {
    if (!path.includes('log-entries') || busy === 0) return null
    busy -= 1
    return Response.json({}, { status: 429, headers: { 'Retry-After': '0' } })
  }
  expect(await problemsOf(story)).toEqual([])
  expect(busy).toBe(0)
})

it('allows events and agents to be missing from the log for two minutes', async () => {
  await using story = await tellStory()
  story.service.tamper = inJson('info.json', (info) => ({ ...info, merge_delay_seconds: 9_999 }))
  addLater(story.agent, 3)
  expect((await verify(story))?.notes).toContainEqual('3 events are not in the log yet.')
  story.service.tamper = inJson('log-entries', () => ({ data: [], next_cursor: null }))
  await expect(verify(story)).rejects.toThrow(
    /the log contains nothing about REG-\S+, which was registered on/,
  )
  story.agent.profile.registered_at = new Date().toISOString()
  await expect(verify(story)).rejects.toThrow('is not in the log yet')
})

it('returns the witnesses of the head, and the leaves declared void', async () => {
  await using story = await tellStory()
  const witness = witnessKey('witness.example/one', Buffer.alloc(32, 7))
  const silent = witnessKey('witness.example/two', Buffer.alloc(32, 8))
  story.log.witnesses.push(witness)
  append(story.log, { v: 1, kind: 'restore', from: 5, to: 7, at: new Date().toISOString() })
  await sign(story.log, 1_800_000_000)
  const witnesses = [witness, silent].map(({ vkey }, n) => ({ name: `w${n}`, vkey, url: null }))
  story.service.tamper = inJson('info.json', (info) => ({ ...info, witnesses }))
  const head = await openHead(openService(story.service.url))
  expect(head?.witnesses).toEqual([
    { name: 'w0', time: 1_800_000_000 },
    { name: 'w1', time: null },
  ])
  expect(head?.voided).toMatchObject([{ from: 5, to: 7 }])
})
