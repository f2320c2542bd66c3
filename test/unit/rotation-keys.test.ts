import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { readKeys } from '../../scripts/secrets-rotate.ts'

const good = randomBytes(32).toString('base64')

it.each([
  ['no new key', { SECRETS_KEY: '', SECRETS_KEY_PREVIOUS: good }, /^SECRETS_KEY: required/],
  ['no previous key', { SECRETS_KEY: good, SECRETS_KEY_PREVIOUS: '' }, /^SECRETS_KEY_PREVIOUS: required/],
  ['a short key', { SECRETS_KEY: 'c2hvcnQ=', SECRETS_KEY_PREVIOUS: good }, /^SECRETS_KEY: must be 32 bytes/],
  ['the same key twice', { SECRETS_KEY: good, SECRETS_KEY_PREVIOUS: good }, /must be different from/],
])('rejects %s, and shows no key', (_, variables, message) => {
  expect(() => readKeys(variables)).toThrow(message)
  for (const key of Object.values(variables)) {
    if (key) expect(() => readKeys(variables)).not.toThrow(key)
  }
})
