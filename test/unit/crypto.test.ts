import { createDecipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  fromBase64,
  hashSecret,
  isSame,
  seal,
  secretMatches,
  unseal,
  unsealWith,
} from '../../src/lib/crypto.ts'
import { keyOf } from '../support/settings.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const MANY = 200

describe('a sealed text', () => {
  it('has a new IV each time', async () => {
    const sealed = await Promise.all(
      Array.from({ length: MANY }, () => seal(keyOf(1), 'purpose', 'a secret')),
    )
    const ivs = sealed.map((text) => Buffer.from(text, 'base64').subarray(0, IV_BYTES).toString('hex'))
    expect(new Set(ivs).size).toBe(MANY)
    for (const text of sealed) expect(await unseal(keyOf(1), 'purpose', text)).toBe('a secret')
  })

  it('is AES-256-GCM with its purpose as additional data, as another implementation decrypts it', async () => {
    const bytes = Buffer.from(await seal(keyOf(1), 'purpose', 'grüße'), 'base64')
    const cipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 1), bytes.subarray(0, IV_BYTES))
    cipher.setAAD(Buffer.from('purpose'))
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = Buffer.concat([cipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), cipher.final()])
    expect(text.toString()).toBe('grüße')
  })

  it('opens only with its key, for its purpose, and unchanged', async () => {
    const sealed = await seal(keyOf(1), 'purpose', 'a secret')
    expect(await unseal(keyOf(2), 'purpose', sealed)).toBeNull()
    expect(await unseal(keyOf(1), 'another', sealed)).toBeNull()
    expect(await unsealWith([keyOf(2), keyOf(1)], 'purpose', sealed)).toBe('a secret')
    expect(await unsealWith([keyOf(2), keyOf(3)], 'purpose', sealed)).toBeNull()
    const bytes = fromBase64(sealed)
    for (const at of bytes.keys()) {
      const changed = Uint8Array.from(bytes, (byte, n) => (n === at ? byte ^ 1 : byte))
      expect(
        await unseal(keyOf(1), 'purpose', Buffer.from(changed).toString('base64')),
        String(at),
      ).toBeNull()
    }
    for (const none of ['', 'no base64!', sealed.slice(0, 8)]) {
      expect(await unseal(keyOf(1), 'purpose', none)).toBeNull()
    }
  })
})

describe('a hashed secret', () => {
  it('matches only the secret that was hashed, and has its own salt', async () => {
    const [one, two] = await Promise.all([hashSecret('secret'), hashSecret('secret')])
    expect(one.salt).not.toBe(two.salt)
    expect(one.secret_hash).not.toBe(two.secret_hash)
    for (const stored of [one, two]) expect(await secretMatches('secret', stored)).toBe(true)
    for (const wrong of ['Secret', 'secre', 'secretx', ''])
      expect(await secretMatches(wrong, one)).toBe(false)
  })
})

it('texts are equal only if all of their characters are', () => {
  for (const one of ['abc', '']) expect(isSame(one, one)).toBe(true)
  for (const other of ['abd', 'Abc', 'ab', 'abcd', '']) expect(isSame('abc', other)).toBe(false)
  expect(isSame('', 'a')).toBe(false)
})
