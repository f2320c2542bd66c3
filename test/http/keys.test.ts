import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'

const { api, sql, newOperator, newKey } = shared()
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const HOUR_MS = 3_600_000

const create = (token: string, body: object) => api('POST', '/operators/me/api-keys', { token, body })

describe('POST /operators/me/api-keys', () => {
  it('shows a key that may read, once [3e key-1]', async () => {
    const operator = await newOperator()
    const { status, body } = await create(operator.token, { name: 'CI' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'CI',
      key: expect.stringMatching(/^reg_live_[0-9A-Za-z]{46}$/),
      key_prefix: body.key.slice(0, 17),
      permissions: ['read'],
      rate_limit_per_minute: 60,
      expires_at: null,
      created_at: expect.stringMatching(/Z$/),
    })
  })

  it('ends each key in the CRC-32 of what is before', async () => {
    const { key } = await newKey(await newOperator())
    const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0)
    expect(value).toBe(crc32(key.slice(0, -6)))
  })

  it('stores a salted hash, and nothing of the secret [2.4g]', async () => {
    const operator = await newOperator()
    const [first, second] = [await newKey(operator), await newKey(operator)]
    const rows = await sql('select to_jsonb(k) as row from api_keys k where operator_id = $1', [operator.id])
    const text = JSON.stringify(rows)
    for (const { key } of [first, second]) {
      expect(text).not.toContain(key.slice(17, 49))
      expect(text).toContain(key.slice(0, 17))
    }
    expect(new Set(rows.map(({ row }) => row.salt)).size).toBe(2)
  })

  it('takes each permission once, whatever was asked for twice [2.4c]', async () => {
    const { token } = await newOperator()
    const permissions = ['activity:report', 'read', 'activity:report', 'write']
    const { body } = await create(token, { name: 'k', permissions })
    expect(body.permissions.sort()).toEqual(['activity:report', 'read', 'write'])
  })

  it('takes a time at which the key ends, in any zone', async () => {
    const { token } = await newOperator()
    const { body } = await create(token, { name: 'k', expires_at: '2099-01-01T02:00:00+02:00' })
    expect(body.expires_at).toBe('2099-01-01T00:00:00.000Z')
    expect((await create(token, { name: 'k', expires_at: null })).body.expires_at).toBeNull()
  })

  it.each([
    ['no permission', { permissions: [] }, /permissions: .*at least one/],
    [
      'an unknown permission',
      { permissions: ['admin'] },
      /permissions.*: must be one of read, write, activity:report/,
    ],
    ['a permission that is no list', { permissions: 'read' }, /permissions: must be an array/],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, /expires_at: must be in the future/],
    ['an end that is a day', { expires_at: '2099-01-01' }, /expires_at: must be a time/],
    ['an end that never comes', { expires_at: '2099-02-30T00:00:00Z' }, /expires_at: must be a time/],
    ['a blank name', { name: '  ' }, /name: must not be empty/],
    ['a long name', { name: 'x'.repeat(256) }, /name: at most 255 characters/],
  ])('refuses %s', async (_, fields, message) => {
    const operator = await newOperator()
    expectError(await create(operator.token, { name: 'k', ...fields }), 400, 'VALIDATION_ERROR', message)
    expect(await sql('select 1 from api_keys where operator_id = $1', [operator.id])).toEqual([])
  })

  it('gives a key that works until its time is over [key-4]', async () => {
    const operator = await newOperator()
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString()
    const { key } = await newKey(operator, ['activity:report'], { expires_at })
    const call = (ms: number) =>
      api('POST', '/activity/report', {
        token: key,
        body: { reg: 'REG-2026-0001-0042-A', event_type: 'x' },
        now: new Date(Date.now() + ms),
      })
    expect((await call(0)).status).toBe(404)
    expectError(await call(HOUR_MS), 401, 'UNAUTHORIZED', /expired/)
  })
})

it('refuses an end that no database knows', async () => {
  const { token } = await newOperator()
  const answer = await create(token, { name: 'k', expires_at: '9999-12-31T23:59:59-10:00' })
  expectError(answer, 400, 'VALIDATION_ERROR', /^expires_at: must be before the year 10000/)
})
