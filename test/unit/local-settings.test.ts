import { afterEach, expect, it, vi } from 'vitest'
import { givenQStash, readSettings } from '../../local/settings.ts'

afterEach(() => void vi.unstubAllEnvs())

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
