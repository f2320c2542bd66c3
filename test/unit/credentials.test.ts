import { describe, expect, it } from 'vitest'
import { makeToken, readToken } from '../../src/credentials/token.ts'
import { withCheck, withWrongEnd } from '../support/credentials.ts'
import { keyOf } from '../support/settings.ts'

// Computed by Python 3.11's hmac and int, under the 32 bytes from 0 to 31.
const KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const SESSION = 'reg_sess_4fJq0w2Z0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgSpwoIguC'
const API_KEY = 'reg_live_4fJq0w2ZUVWXYZabcdefghijklmnopqrstuvwxyzbKFYndWE'
const PADDED = 'reg_live_00001149UVWXYZabcdefghijklmnopqrstuvwxyz00AJp0vY'

describe('a credential', () => {
  it.each([
    ['a session', SESSION, { kind: 'session', id: SESSION.slice(9, 17), secret: SESSION.slice(17, 60) }],
    ['an API key', API_KEY, { kind: 'key', id: API_KEY.slice(0, 17), secret: API_KEY.slice(17, 49) }],
    ['one whose check begins with zeros', PADDED, { id: PADDED.slice(0, 17) }],
  ])('is recognized by its check alone: %s', async (_, text, token) => {
    expect(await readToken(text, [KEY])).toMatchObject({ ok: true, token })
    expect(await readToken(text, [keyOf(1)])).toMatchObject({ ok: false })
  })

  it.each([
    ['session', /^reg_sess_[0-9A-Za-z]{59}$/],
    ['console', /^reg_cons_[0-9A-Za-z]{59}$/],
    ['key', /^reg_live_[0-9A-Za-z]{48}$/],
  ] as const)(
    'is made with a check under the first key, and accepted under each: %s',
    async (kind, shape) => {
      const { text, id, secret } = await makeToken(kind, [KEY, keyOf(1)])
      expect(text).toMatch(shape)
      expect(text).toBe(withCheck(text.slice(0, -8), [KEY]))
      for (const keys of [[KEY], [keyOf(1), KEY], [keyOf(1), keyOf(2), KEY]]) {
        expect(await readToken(text, keys)).toEqual({ ok: true, token: { kind, id, secret } })
      }
      expect(await readToken(text, [keyOf(1), keyOf(2)])).toEqual({ ok: false, like: kind })
    },
  )

  it.each([SESSION, API_KEY])(
    'is rejected with any one character changed, omitted, or doubled: %s',
    async (text) => {
      for (let at = 0; at < text.length; at++) {
        const [before, rest] = [text.slice(0, at), text.slice(at)]
        const other = withWrongEnd(rest.slice(0, 1))
        for (const wrong of [
          before + other + rest.slice(1),
          before + rest.slice(1),
          before + rest[0] + rest,
        ]) {
          expect(await readToken(wrong, [KEY]), wrong).toMatchObject({ ok: false })
        }
      }
    },
  )

  it.each([
    ['the check of another key', API_KEY.slice(0, -8) + PADDED.slice(-8)],
    ['two characters swapped', API_KEY.replace('UV', 'VU')],
    ['small letters', API_KEY.toLowerCase()],
    ['capital letters', API_KEY.toUpperCase()],
    ['its prefix alone', API_KEY.slice(0, 17)],
    ['a secret that is too short, with a valid check', withCheck(API_KEY.slice(0, -9), [KEY])],
    ['a line feed behind it', `${API_KEY}\n`],
    ['8 kilobytes', API_KEY.padEnd(8_192, 'a')],
  ])('with an error in it is rejected, but recognized by its kind: %s', async (_, text) => {
    expect(await readToken(text, [KEY])).toEqual({ ok: false, like: 'key' })
  })

  it.each(['', 'hello', 'reg_', 'reg_test_', ` ${API_KEY}`, 'eyJhbGciOiJIUzI1NiJ9.e30.x'])(
    'is not recognized without one of the known prefixes: %j',
    async (text) => expect(await readToken(text, [KEY])).toEqual({ ok: false, like: null }),
  )

  it('is rejected under the prefix of another kind, which the check covers', async () => {
    const swapped = `reg_sess_${API_KEY.slice(9)}`
    expect(await readToken(swapped, [KEY])).toEqual({ ok: false, like: 'session' })
    const asCookie = SESSION.replace('reg_sess_', 'reg_cons_')
    expect(await readToken(asCookie, [KEY])).toEqual({ ok: false, like: 'console' })
  })
})
