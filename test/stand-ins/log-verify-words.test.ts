import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import { REG, run, tellStory } from '../support/log/story.ts'

const URL = 'http://127.0.0.1:1'

it.each([
  ['a malformed agent number', [URL, 'REG-1'], 'must be an agent number, such as REG-2026-0001-0042-U'],
  ['an empty option', [URL, REG, '--key', ''], '--key: is empty'],
  ['--save without an agent', [URL, '--all', '--save', 'x'], '--key, --save, --require-active: require'],
  ['a proof without a key', ['--offline', 'x'], '--offline: requires --vkey'],
  ['a proof with a state', ['--offline', 'x', '--state', 'x'], '--offline: can only be used with --vkey and'],
  ['a date without --score', [URL, REG, '--date', '2026-11-20'], '--date: requires --score'],
  ['a range without a state', [URL, REG, '--accept-restore', '1-2'], '--accept-restore: requires --state'],
  ['an invalid date', [URL, REG, '--score', '--date', '2026-02-30'], 'must be a day, such as 2026-11-20'],
  ['--score with other checks', [URL, REG, '--score', '--all'], '--score: can only be used with --date'],
])('names the wrong argument for %s', async (_, args, problem) => {
  const { status, out, err } = await run(...args)
  expect([status, out]).toEqual([2, ''])
  expect(err).toContain(problem)
})

it('checks its files and keys before it makes requests', async () => {
  await using story = await tellStory()
  const file = join(story.dir, 'file')
  writeFileSync(file, 'witness w1\n')
  const nowhere = join(story.dir, 'none', 'state.json')
  for (const [args, problem] of [
    [['--state', nowhere], `--state ${nowhere}: there is no folder ${join(story.dir, 'none')}`],
    [['--state', story.dir], `--state ${story.dir}: was not written by this command`],
    [['--state', file, '--accept-restore', '5'], '--accept-restore: must be a range such as 381-386'],
    [['--save', file], `--save ${file}: `],
    [['--vkey', 'x'], "'x' is not the verifier key of a log, which looks like"],
    [['--vkey', witnessKey('w.example/1', Buffer.alloc(32, 7)).vkey], 'it is the key of a witness'],
    [['--witness', file], `${file}: policy, line 1: must be witness`],
  ] as const)
    expect(await story.verify(...args)).toMatchObject({
      status: 2,
      out: '',
      err: expect.stringContaining(problem),
    })
  writeFileSync(file, 'quorum none\n')
  expect(await run('--offline', 'x', '--witness', file)).toMatchObject({
    status: 2,
    err: expect.stringContaining('requires --vkey, or a policy'),
  })
})
