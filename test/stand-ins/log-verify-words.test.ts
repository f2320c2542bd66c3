import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { witnessKey } from '../../local/stand-ins/witness/key.ts'
import { REG, run, tellStory } from '../support/log/story.ts'

const URL = 'http://127.0.0.1:1'

it.each([
  [
    'no arguments',
    [],
    "base url: must be the URL of a service, for example https://registry.example, not ''",
  ],
  ['neither agent number nor --all', [URL], 'agent number: is required without --all'],
  [
    'a malformed agent number',
    [URL, 'REG-1'],
    "agent number: must look like REG-2026-0001-0042-U, not 'REG-1'",
  ],
  [
    'a wrong check character',
    [URL, 'reg-2026-0001-0042-x'],
    'agent number: REG-2026-0001-0042-X is not valid',
  ],
  ['another protocol', ['ftp://x', REG], 'base url: must be the URL of a service'],
  ['no protocol', ['localhost:8787', REG], 'base url: must be the URL of a service'],
  [
    'the address of a page',
    [`${URL}/transparency`, REG],
    `base url: must be only the URL of the service, ${URL}`,
  ],
  ['an extra argument', [URL, REG, 'x'], "'x': unexpected argument"],
  ['an unknown option', [URL, REG, '--stat', 'x'], "Unknown option '--stat'\n"],
  ['an empty option', [URL, REG, '--key', ''], '--key: is empty'],
  ['--save without an agent', [URL, '--all', '--save', 'x'], '--key, --save: require an agent number'],
  ['a proof without a key', ['--offline', 'x'], '--offline: requires --vkey'],
  [
    'a proof with a state',
    ['--offline', 'x', '--vkey', 'x', '--state', 'x'],
    '--offline: can only be used with --vkey and',
  ],
])('names the wrong argument and prints its usage for %s', async (_, args, problem) => {
  const { status, out, err } = await run(...args)
  expect([status, out]).toEqual([2, ''])
  expect(err).toMatch(/\nusage: npm run -s log:verify/)
  expect(err.startsWith(problem)).toBe(true)
})

it('describes its options with --help', async () => {
  const { status, out, err } = await run('--help')
  expect([status, err]).toEqual([0, ''])
  for (const word of ['state', 'vkey', 'witness', 'key', 'all', 'save', 'offline'])
    expect(out).toMatch(RegExp(`^  --${word} `, 'm'))
})

it('checks its files and keys before it makes requests', async () => {
  await using story = await tellStory()
  const file = join(story.dir, 'file')
  writeFileSync(file, 'witness w1\n')
  const nowhere = join(story.dir, 'none', 'state.json')
  for (const [args, problem] of [
    [['--state', nowhere], `--state ${nowhere}: there is no folder ${join(story.dir, 'none')}`],
    [['--state', story.dir], `--state ${story.dir}: was not written by this command`],
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
    err: expect.stringContaining(`${file}: names no log`),
  })
})
