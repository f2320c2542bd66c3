import { describe, expect, it } from 'vitest'
import { openingKeys, parseEnv } from '../../src/env.ts'
import { keyOf, SETTINGS } from '../support/settings.ts'
import vectors from '../vectors/tokens.json' with { type: 'json' }

const LOCAL = { BASE_URL: 'http://localhost:1' }
const read = (changes: object) => () => parseEnv({ ...SETTINGS, ...changes })

describe('BASE_URL', () => {
  it.each([
    ['HTTPS://registry.example.org', 'https://registry.example.org'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://registry.example.org:8443/', 'https://registry.example.org:8443'],
  ])('is normalized to an origin: %s', (text, origin) => {
    expect(read({ BASE_URL: text })().BASE_URL).toBe(origin)
  })

  it.each([
    ['registry.example.org', /must be a URL/],
    ['', /must be a URL/],
    ['javascript:alert(1)', /must start with https/],
    ['https://registry.example.org/api', /origin, without path/],
    ['https://registry.example.org/#a', /origin, without path/],
    ['https://secret@registry.example.org', /username or password/],
  ])('is rejected: %s', (BASE_URL, problem) => {
    expect(read({ BASE_URL })).toThrow(problem)
    expect(read({ BASE_URL })).toThrow(/^settings: BASE_URL: /)
    expect(read({ BASE_URL })).not.toThrow('secret@')
  })
})

describe('with an https BASE_URL', () => {
  it.each([
    'NEON_SQL_URL',
    'UPSTASH_REDIS_REST_URL',
    'QSTASH_URL',
    'OIDC_ISSUER',
    'STRIPE_API_URL',
    'DOH_URL',
  ])('%s must use https too', (name) => {
    for (const url of ['http://127.0.0.1:9/', 'HTTP://x.example/']) {
      expect(read({ BASE_URL: 'HTTPS://localhost', [name]: url })).toThrow(
        new RegExp(`^settings: ${name}: must use https, because BASE_URL does$`),
      )
      expect(read({ ...LOCAL, [name]: url })).not.toThrow()
    }
    expect(read({ [name]: 'HTTPS://x.example/' })).not.toThrow()
  })
})

describe('SECURITY_CONTACT', () => {
  it.each([
    ['', []],
    ['mailto:security@registry.example', ['mailto:security@registry.example']],
    ['https://registry.example/report,tel:+49-30-1', ['https://registry.example/report', 'tel:+49-30-1']],
  ])('is a list of addresses: %s', (SECURITY_CONTACT, contacts) => {
    expect(parseEnv({ ...SETTINGS, SECURITY_CONTACT }).SECURITY_CONTACT).toEqual(contacts)
  })

  it.each(['security@registry.example', 'http://registry.example', 'mailto:a@b\nContact: x', 'tel:x'])(
    'is rejected when it is not a list of mailto:, https: or tel: URLs: %j',
    (SECURITY_CONTACT) => {
      expect(read({ SECURITY_CONTACT })).toThrow(/^settings: SECURITY_CONTACT: each of the list/)
    },
  )
})

describe('a setting of the local stack', () => {
  it.each([
    ['ALLOW_TEST_CLOCK', 'true'],
    ['ALLOW_LOCAL_WEBHOOKS', 'true'],
    ['WELL_KNOWN_BASE_URL', 'http://127.0.0.1:1'],
    ['WELL_KNOWN_BASE_URL', 'https://files.example.org'],
  ])('is rejected unless BASE_URL is on localhost: %s=%s', (name, value) => {
    const lookalikes = ['http://localhost.example.org', 'http://127.0.0.1.example.org', 'http://[::2]']
    for (const BASE_URL of ['https://registry.example.org', 'http://0.0.0.0', ...lookalikes]) {
      expect(read({ BASE_URL, [name]: value }), BASE_URL).toThrow(
        new RegExp(`settings: ${name}: must not be set unless BASE_URL is on localhost`),
      )
    }
    for (const BASE_URL of ['http://localhost:1', 'http://127.9.9.9', 'http://[::1]:1']) {
      expect(read({ BASE_URL, [name]: value }), BASE_URL).not.toThrow()
    }
  })

  it.each(['True', 'yes', '1', ' true'])('must be true or false, not %j', (value) => {
    expect(read({ ...LOCAL, ALLOW_TEST_CLOCK: value })).toThrow(/^settings: ALLOW_TEST_CLOCK: /)
  })
})

describe('a key', () => {
  it.each(['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS', 'CREDENTIALS_KEY', 'IDENTITY_KEY'])(
    'must have 32 bytes, and is not shown in the error: %s',
    (name) => {
      const lengths = [16, 31, 33].map((length) => Buffer.alloc(length, 3).toString('base64'))
      const spare = `${keyOf(3).slice(0, -2)}N=` // another encoding of the same bytes
      for (const wrong of [...lengths, spare, ` ${keyOf(3)}`, keyOf(3).replace('A', '-')]) {
        expect(read({ [name]: wrong })).toThrow(
          new RegExp(`^settings: ${name}: .*must be 32 bytes in base64$`),
        )
        expect(read({ [name]: wrong })).not.toThrow(wrong)
      }
    },
  )

  it('of CREDENTIALS_KEY is part of a list without repetition', () => {
    expect(read({})().CREDENTIALS_KEY).toEqual([keyOf(2)])
    expect(read({ CREDENTIALS_KEY: `${keyOf(3)},${keyOf(2)}` })().CREDENTIALS_KEY).toEqual([
      keyOf(3),
      keyOf(2),
    ])
    for (const wrong of ['', ',', `${keyOf(2)},`, `${keyOf(2)}, ${keyOf(3)}`, `${keyOf(2)};${keyOf(3)}`]) {
      expect(read({ CREDENTIALS_KEY: wrong })).toThrow(/^settings: CREDENTIALS_KEY: .*32 bytes in base64/)
    }
    expect(read({ CREDENTIALS_KEY: `${keyOf(2)},${keyOf(2)}` })).toThrow(
      /^settings: CREDENTIALS_KEY: .*once$/,
    )
  })

  it.each([
    { CREDENTIALS_KEY: `${keyOf(8)},${SETTINGS.SECRETS_KEY}` },
    { SECRETS_KEY_PREVIOUS: SETTINGS.CREDENTIALS_KEY },
  ])('must not be in SECRETS_KEY and CREDENTIALS_KEY: %j', (changes) => {
    expect(read(changes)).toThrow(/^settings: CREDENTIALS_KEY: must not contain a key of SECRETS_KEY$/)
  })

  it.each([
    { IDENTITY_KEY: SETTINGS.SECRETS_KEY },
    { IDENTITY_KEY: SETTINGS.CREDENTIALS_KEY },
    { SECRETS_KEY_PREVIOUS: SETTINGS.IDENTITY_KEY },
  ])('of IDENTITY_KEY must not be used for anything else: %j', (changes) => {
    expect(read(changes)).toThrow(/^settings: IDENTITY_KEY: must differ from SECRETS_KEY/)
  })

  it('of QStash must differ from the next one', () => {
    expect(read({ QSTASH_NEXT_SIGNING_KEY: SETTINGS.QSTASH_CURRENT_SIGNING_KEY })).toThrow(
      /^settings: QSTASH_NEXT_SIGNING_KEY: must differ from QSTASH_CURRENT_SIGNING_KEY$/,
    )
  })
})

describe('TOKEN_KEYS', () => {
  const [first, second] = vectors.private as [object, object]
  const set = (keys: unknown) => read({ TOKEN_KEYS: typeof keys === 'string' ? keys : JSON.stringify(keys) })

  it('are private keys, read without unknown fields', () => {
    const stored = { ...first, kid: 'mine', alg: 'ES384', key_ops: ['sign'], ext: true }
    expect(set([stored, second])().TOKEN_KEYS).toEqual([first, second])
  })

  it('are optional', () => {
    for (const changes of [{}, { TOKEN_KEYS: '' }]) expect(read(changes)().TOKEN_KEYS).toEqual([])
  })

  const RULE = 'must be a JSON array of private P-256 keys'
  const SIZE = 'must be 32 bytes in base64url'
  it.each([
    ['no JSON', '', `${JSON.stringify([first])},`, RULE],
    ['one key outside of a list', '', first, RULE],
    ['an empty list', '', [], RULE],
    ['a key of another kind', '.0.kty', [{ ...first, kty: 'OKP' }], 'must be EC'],
    ['another curve', '.1.crv', [first, { ...second, crv: 'P-384' }], 'must be P-256'],
    ['a public key', '.1.d', [first, { ...second, d: undefined }], SIZE],
    ['a number that is too short', '.0.x', [{ ...first, x: 'AAAA' }], SIZE],
    ['a number with spare bits', '.0.d', [{ ...first, d: `${'A'.repeat(42)}B` }], SIZE],
    ['the same key twice', '', [first, second, first], 'must name each key once'],
  ])('are rejected by an error that names the wrong field and shows no value: %s', (_, path, keys, rule) => {
    expect(set(keys)).toThrow(new Error(`settings: TOKEN_KEYS${path}: ${rule}`))
  })
})

describe('the settings', () => {
  it.each([
    ...Object.keys(SETTINGS).flatMap((name) =>
      name === 'NEON_SQL_URL' ? [[name, '']] : [[name, ''], [name]],
    ),
    ['DATABASE_URL', 'mysql://secret@localhost/none'],
    ['UPSTASH_REDIS_REST_URL', 'redis://default:secret@x.upstash.io:6379'],
    ['REQUEST_DEADLINE_MS', '0'],
    ['REQUEST_DEADLINE_MS', '5000000000'],
    ['REDIS_TIMEOUT_MS', '1.5'],
  ])('are rejected by an error that names %s when it is %j, without the value', (name = '', value) => {
    expect(read({ [name]: value })).toThrow(new RegExp(`^settings: ${name}: `))
    if (value && value.length > 1) expect(read({ [name]: value })).not.toThrow(value)
  })

  it('are rejected by an error that names every wrong one', () => {
    const wrong = read({ DATABASE_URL: 'x', QSTASH_URL: 'x', QSTASH_TOKEN: '' })
    for (const name of ['DATABASE_URL', 'QSTASH_URL', 'QSTASH_TOKEN']) expect(wrong).toThrow(name)
  })

  it('unseal with the current key, and with the previous one if it is set', () => {
    expect(openingKeys(read({})())).toEqual([keyOf(1)])
    expect(openingKeys(read({ SECRETS_KEY_PREVIOUS: keyOf(7) })())).toEqual([keyOf(1), keyOf(7)])
  })
})

describe('MAIL_FROM', () => {
  it.each(['registry@mail.example', 'Agent Registry <registry@mail.example>', 'Régistre <r@m.example>'])(
    'can be %s',
    (MAIL_FROM) => expect(read({ MAIL_API_KEY: 're_x', MAIL_FROM })).not.toThrow(),
  )

  it.each([
    'registry',
    'Registry <registry>',
    '<r@m.example>',
    'a <r@m.example> b',
    'a\r\nBcc: b <r@m.example>',
  ])('cannot be %j', (MAIL_FROM) =>
    expect(read({ MAIL_API_KEY: 're_x', MAIL_FROM })).toThrow(/^settings: MAIL_FROM: must be an address/),
  )

  it('is required if MAIL_API_KEY is set, and optional otherwise', () => {
    expect(read({ MAIL_API_KEY: 're_x' })).toThrow(
      'settings: MAIL_FROM: must be set to the sender of emails when MAIL_API_KEY is set',
    )
    expect(read({ MAIL_API_KEY: '', MAIL_FROM: '' })).not.toThrow()
  })
})
