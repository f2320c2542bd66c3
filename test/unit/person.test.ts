import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bearsName, identityOf, normalizeName, type Person } from '../../src/kyc/person.ts'

const KEY = Buffer.alloc(32, 7)
const person = (
  first_name: string | null,
  last_name: string | null,
  birth_date = '1990-02-03' as string | null,
) => ({ first_name, last_name, birth_date }) satisfies Person
const identity = (who: Person) => identityOf(KEY.toString('base64'), who)

describe('a normalized name', () => {
  it.each([
    ['case and spaces', '  ALICE \t  Smith ', 'Alice Smith'],
    ['accents, composed or not', 'JOSE\u0301 MUN\u0303OZ', 'José Muñoz'],
    ['apostrophes of all kinds', 'O’Brien', "O'Brien"],
    ['an apostrophe that is an accent', 'O´Brien', 'OBRIEN'],
    ['an apostrophe that is a letter', 'Oʼbrien', 'OBRIEN'],
    ['dashes, as a passport writes them', 'Anna-Maria', 'ANNA MARIA'],
    ['letters with two spellings', 'Straße', 'STRASSE'],
    ['the Turkish i', 'İlker Işık', 'ILKER ISIK'],
    ['the final sigma', 'Παπάς', 'ΠΑΠΑΣ'],
    ['full width', 'Ａｌｉｃｅ', 'Alice'],
    ['invisible characters', 'Al\u00adi\u200bce', 'Alice'],
    ['vowel points of Hebrew and Arabic', 'שָׁלוֹם عَلي', 'שלום علي'],
  ])('ignores %s', (_, one, other) => {
    expect(normalizeName(one)).toBe(normalizeName(other))
  })

  it.each([
    ['letters that look alike', 'Аlice', 'Alice'],
    ['vowel signs', 'राम', 'रमा'],
    ['voiced kana', 'が', 'か'],
  ])('distinguishes %s', (_, one, other) => {
    expect(normalizeName(one)).not.toBe(normalizeName(other))
  })
})

describe('a name on an identity document', () => {
  it.each([
    ['in either order', person('Alice', 'Smith'), 'Smith Alice'],
    ['with two given names', person('ANNA MARIA', 'VON DER HEIDE'), 'Anna-Maria von der Heide'],
    ['with an apostrophe', person('Pat', "O'Brien"), 'Pat O’Brien'],
    ['in two scripts', person('山田', 'タロー'), 'タロー 山田'],
    ['without a last name', person('Sukarno', null), 'Sukarno'],
    ['without a first name', person('', 'Sukarno'), 'sukarno'],
  ])('matches %s', (_, document, name) => {
    expect(bearsName(document, name)).toBe(true)
  })

  it.each([
    ['a symbol', person('Ada', 'Lovelace'), 'Ada Lovelace ✓'],
    ['a title in brackets', person('Ada', 'Lovelace'), 'Ada Lovelace (🅲🅴🅾 🅾🅵 🅰🅲🅼🅴)'],
    ['an enclosing mark', person('Ada', 'Lovelace'), 'A\u20ddda Lovelace'],
    ['a blank braille cell', person('Ada', 'Lovelace'), 'Ada\u2800 Lovelace'],
    ['an unseen character', person('Ada', 'Lovelace'), 'Ada\u200b Lovelace'],
    ['letters of another script', person('Ada', 'Lovelace'), 'Ada Lovelace ا'],
    ['more than it', person('Alice', 'Smith'), 'Alice Smith Ltd'],
    ['one given name of two', person('Anna Maria', 'Smith'), 'Anna Smith'],
    ['names without letters', person('!', '…'), '★'],
    ['an empty name', person(null, null), ''],
    ['a full-width letter', person('Alice', 'Smith'), '\uff21lice Smith'],
    ['repeated punctuation', person('Alice', 'Smith'), 'Alice Smith ..'],
    ['piled marks', person('Alice', 'Smith'), 'A\u0302\u0303\u0301\u0302lice Smith'],
  ])('does not match %s', (_, document, name) => {
    expect(bearsName(document, name)).toBe(false)
  })
})

describe('an identity', () => {
  it('is a keyed hash of date of birth, last name, and first given name', async () => {
    const expected = createHmac('sha256', KEY).update('1990-02-03|von der heide|anna').digest('base64')
    expect(await identity(person('Anna Maria', 'von der Heide'))).toBe(expected)
    const other = await identityOf(Buffer.alloc(32, 8).toString('base64'), person('Anna', 'von der Heide'))
    expect(other).not.toBe(expected)
  })

  it('is the same for two documents of a person with different spellings', async () => {
    const one = await identity(person('ANNA-MARIA', 'MÜLLER-LÜDENSCHEIDT'))
    expect(await identity(person('Anna', 'Müller Lüdenscheidt'))).toBe(one)
    expect(await identity(person('Sukarno', ''))).toBe(await identity(person(null, 'SUKARNO')))
  })

  it.each([
    ['Jürgen Müller', 'JUERGEN MUELLER', 'Jurgen Muller'],
    ['Søren Ærø', 'SOEREN AEROE', 'Soren Aero'],
    ['Æsa Þórðardóttir', 'AESA THORDARDOTTIR', 'Aesa Thordardottir'],
    ['Łukasz Đukić', 'LUKASZ DUKIC', 'Lukasz Dukić'],
  ])('is the same for %s and the transliterations in the machine-readable zone', async (...written) => {
    const identities = written.map((name) => {
      const [first = '', last = ''] = name.split(' ')
      return identity(person(first, last))
    })
    expect(new Set(await Promise.all(identities)).size).toBe(1)
  })

  it('differs if any part differs', async () => {
    const all = await Promise.all([
      identity(person('Anna', 'Smith')),
      identity(person('Anne', 'Smith')),
      identity(person('Anna', 'Smyth')),
      identity(person('Smith', 'Anna')),
      identity(person('Anna', 'Smith', '1990-03-02')),
    ])
    expect(new Set(all).size).toBe(all.length)
  })

  it('is null without a date of birth or a name', async () => {
    expect(await identity(person('Anna', 'Smith', null))).toBeNull()
    expect(await identity(person('—', null))).toBeNull()
  })
})
