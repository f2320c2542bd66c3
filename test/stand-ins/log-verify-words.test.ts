import { expect, it } from 'vitest'
import { REG, run } from '../support/log/story.ts'

const URL = 'http://127.0.0.1:1'

it.each([
  ['a malformed agent number', [URL, 'REG-1'], 'must be an agent number, such as REG-2026-0001-0042-U'],
  ['an empty option', [URL, REG, '--key', ''], '--key: is empty'],
  ['--save without an agent', [URL, '--all', '--save', 'x'], '--key, --save, --require-active: require'],
  ['a proof without a key', ['--offline', 'x'], '--offline: requires --vkey'],
  ['a proof with a state', ['--offline', 'x', '--state', 'x'], '--offline: can only be used with --vkey and'],
  ['a date without --score', [URL, REG, '--date', '2026-11-20'], '--date: requires --score'],
  ['a range without a state', [URL, REG, '--accept-restore', '1-2'], '--accept-restore: requires --state'],
  [
    'a key that is none',
    [URL, REG, '--vkey', 'nonsense'],
    "--vkey: 'nonsense' is not the verifier key of a log",
  ],
  ['a policy that is not there', [URL, REG, '--witness', 'none'], 'none: ENOENT'],
  ['an invalid date', [URL, REG, '--score', '--date', '2026-02-30'], 'must be a day, such as 2026-11-20'],
  [
    'a receipt with all leaves',
    [URL, '--receipt', 'x', '--all'],
    '--receipt: can only be used with --keys and --key and --issuer and --state and --accept-restore and',
  ],
  ['an interval for which there is no timer', ['monitor', URL, '--every', '720h'], 'at most 24 days'],
  ['--score with other checks', [URL, REG, '--score', '--all'], '--score: can only be used with --date'],
])('names the wrong argument for %s', async (_, args, problem) => {
  const { status, out, err } = await run(...args)
  expect([status, out]).toEqual([2, ''])
  expect(err).toContain(problem)
})
