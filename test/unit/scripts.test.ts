import { afterEach, expect, it, vi } from 'vitest'
import { givenQStash, readSettings } from '../../local/settings.ts'
import { ownerUrl, withoutYes } from '../../scripts/support/owner-url.ts'

afterEach(() => vi.unstubAllEnvs())

const REMOTE = 'postgresql://owner:secret@ep-1.neon.tech/neondb'

it('admin asks before it changes a database on another machine, and shows its host without the password', () => {
  vi.stubEnv('DATABASE_URL', REMOTE)
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(() => ownerUrl(['suspend', 'a@b.example'])).toThrow('not confirmed: add --yes')
  expect(ownerUrl(['suspend', '--yes'])).toBe(REMOTE)
  expect(said.mock.calls.join('')).toBe('database: ep-1.neon.tech/neondb\n'.repeat(2))
  said.mockRestore()
  expect(withoutYes(['suspend', 'a@b.example', '--yes'])).toEqual(['suspend', 'a@b.example'])
})

it('admin does not ask for a database on this machine', () => {
  vi.stubEnv('DATABASE_URL', 'postgresql://owner@127.0.0.1:5432/x')
  expect(ownerUrl([])).toBe('postgresql://owner@127.0.0.1:5432/x')
})

it.each([
  ['PORT', 'abc', "PORT: must be a port from 1 to 65535, not 'abc'"],
  ['PORT', '70000', "PORT: must be a port from 1 to 65535, not '70000'"],
  ['QSTASH_TIME_SCALE', 'fast', "QSTASH_TIME_SCALE: must be a number, for example 0.001, not 'fast'"],
])('%s=%s is rejected with an error that names it', (name, value, message) => {
  vi.stubEnv(name, value)
  expect(readSettings).toThrow(message)
})

it('requires the other settings of QStash when QSTASH_URL is set', () => {
  vi.stubEnv('QSTASH_URL', 'http://127.0.0.1:1')
  vi.stubEnv('QSTASH_TOKEN', '')
  expect(givenQStash).toThrow('QSTASH_TOKEN: required')
})
