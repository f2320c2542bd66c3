import { afterEach, expect, it, vi } from 'vitest'
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
