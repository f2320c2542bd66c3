import { afterEach, expect, it, vi } from 'vitest'
import { givenQStash, readSettings } from '../../local/settings.ts'

afterEach(() => void vi.unstubAllEnvs())

it.each([
  ['PORT', 'abc', "PORT: must be a port from 1 to 65535, not 'abc'"],
  ['PORT', '70000', "PORT: must be a port from 1 to 65535, not '70000'"],
  ['QSTASH_TIME_SCALE', 'fast', "QSTASH_TIME_SCALE: must be a number, for example 0.001, not 'fast'"],
])('%s=%s is rejected by its name', (name, value, message) => {
  vi.stubEnv(name, value)
  expect(readSettings).toThrow(message)
})

it('names what is missing in addition to the address of a QStash', () => {
  vi.stubEnv('QSTASH_URL', 'http://127.0.0.1:1')
  vi.stubEnv('QSTASH_TOKEN', '')
  expect(givenQStash).toThrow('QSTASH_TOKEN: required')
})
