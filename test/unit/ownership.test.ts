import { describe, expect, it } from 'vitest'
import { parseEnv } from '../../src/env.ts'
import { readDomain } from '../../src/ownership/domain.ts'
import { fileProblem, recordsProblem } from '../../src/ownership/proof.ts'
import { readTxtAnswer } from '../../src/ownership/txt.ts'
import { SETTINGS } from '../support/settings.ts'

const answer = (...data: string[]) => ({
  Status: 0,
  TC: false,
  RD: true,
  RA: true,
  AD: false,
  CD: false,
  Question: [{ name: 'example.com', type: 16 }],
  Answer: data.map((text) => ({ name: 'example.com', type: 16, TTL: 300, data: text })),
})

describe('the answer of a resolver', () => {
  it.each([
    ['one string in quotes, as Cloudflare gives it', '"v=spf1 -all"', 'v=spf1 -all'],
    ['one string without quotes, as Google gives it', 'v=spf1 -all', 'v=spf1 -all'],
    [
      'two strings that belong together',
      '"reg-agent=REG-2026-" "0001-0042-U:abc"',
      'reg-agent=REG-2026-0001-0042-U:abc',
    ],
    ['strings without a space between them', '"a""b"', 'ab'],
    ['quotes and backslashes inside', String.raw`"say \"hi\" \\o/"`, String.raw`say "hi" \o/`],
    ['a byte by its number', String.raw`"a\009b\195"`, 'a\tb\u00c3'],
    ['an empty string', '""', ''],
    ['a quote that never ends', '"abc', ''],
  ])('may hold %s', (_, data, text) => {
    expect(readTxtAnswer(answer(data))).toEqual({ texts: [text] })
  })

  it('may lead over another name first', () => {
    const aliased = answer('"x"')
    aliased.Answer.unshift({ name: 'a.', type: 5, TTL: 1, data: 'b.' })
    expect(readTxtAnswer(aliased)).toEqual({ texts: ['x'] })
  })

  it.each([
    ['no such name', { Status: 3 }, { texts: [] }],
    ['no records', { Status: 0 }, { texts: [] }],
    ['a failure', { Status: 2 }, { error: 'SERVFAIL' }],
    ['a code that has no name here', { Status: 23 }, { error: 'code 23' }],
    ['something else', { status: 0 }, null],
    ['a list', [], null],
    ['nothing', null, null],
    ['records that are none', { Status: 0, Answer: [1] }, null],
  ])('may be %s', (_, body, read) => {
    expect(readTxtAnswer(body)).toEqual(read)
  })

  it('is read in one pass, however odd its quotes', () => {
    const began = performance.now()
    readTxtAnswer(answer(`"${'\\'.repeat(400_001)}`, `"${'a" '.repeat(200_000)}`))
    // One that looks at every rest of the text anew takes minutes.
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})

const PROOF = { reg: 'REG-2026-0001-0042-U', domain: 'example.com', method: 'dns', token: 'abc' } as const

describe('a proof', () => {
  it('is a record with its number and its token, and nothing else', () => {
    expect(recordsProblem(['x', 'reg-agent=REG-2026-0001-0042-U:abc'], PROOF)).toBeNull()
    expect(recordsProblem(['reg-agent=REG-2026-0001-0042-U:abcd'], PROOF)).toMatch(/none of the TXT records/)
  })

  it('shows three texts that were seen, cut short and harmless', () => {
    const problem = recordsProblem(['\u0000\n', 'x'.repeat(5_000), '"', 'd', 'e'], PROOF)
    expect(problem).toMatch(/found: "\\u0000\\n", "x{100}", "\\"" and 2 more$/)
  })

  it.each([
    '{"reg":"REG-2026-0001-0042-U","token":"abc"}',
    '[{"reg":"REG-2026-0001-0042-U","token":"abc","x":1}]',
    '[null, 7, {"reg":"REG-2026-0001-0042-U","token":"old"}, {"reg":"REG-2026-0001-0042-U","token":"abc"}]',
  ])('is the file %s', (text) => {
    expect(fileProblem(text, PROOF)).toBeNull()
  })

  it.each([
    ['{"reg":"REG-2026-0001-0042-U"}', /must contain a JSON object/],
    ['{"reg":"REG-2026-0001-0042-U","token":1}', /must contain a JSON object/],
    ['null', /must contain a JSON object/],
    ['7', /must contain a JSON object/],
    ['', /must contain a JSON object/],
    ['[]', /has no entry for/],
    ['[[{"reg":"REG-2026-0001-0042-U","token":"abc"}]]', /has no entry for/],
    ['{"reg":"REG-2026-0001-0042-U","token":"ABC"}', /different token/],
    ['{"__proto__":{"reg":"REG-2026-0001-0042-U","token":"abc"}}', /must contain a JSON object/],
  ])('is not the file %s', (text, problem) => {
    expect(fileProblem(text, PROOF)).toMatch(problem)
  })
})

describe('a domain', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['example。com', 'example.com'],
    ['1.2.3.4.example.com', '1.2.3.4.example.com'],
  ])('%s is %s', (text, domain) => {
    expect(readDomain(text, 'https://registry.example.org')).toEqual({ domain })
  })

  it.each([
    'localhost',
    'com',
    'printer.local',
    'db.internal',
    '1.0.0.127.in-addr.arpa',
    'a.localhost',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '10.0.0.1',
    '169.254.169.254',
    '１２７.０.０.１',
    '[::1]',
    '::1',
    'example.com.',
    'https://example.com',
    'example.com/path',
    'example.com:8443',
    'user@example.com',
    'example.com?x',
    'example.com#x',
    'exa mple.com',
    'example%2ecom',
    'example..com',
    '.example.com',
    '-a.example.com',
    'a-.example.com',
    '_dmarc.example.com',
    '*.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(122)}example.com`,
  ])('is not %s', (text) => {
    expect(readDomain(text, 'https://registry.example.org')).toEqual({ problem: expect.any(String) })
  })

  it('is not our own', () => {
    const problem = 'must not point to this service'
    expect(readDomain('Registry.example.org', 'https://registry.example.org')).toEqual({ problem })
  })
})

it('is looked up at the domain itself wherever the service is public', () => {
  expect(parseEnv({ ...SETTINGS }).DOH_URL).toBe('https://cloudflare-dns.com/dns-query')
})
