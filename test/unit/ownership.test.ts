import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseEnv } from '../../src/env.ts'
import { isDomainName } from '../../src/lib/host.ts'
import { readAtMost } from '../../src/lib/read-at-most.ts'
import { readDomain } from '../../src/ownership/domain.ts'
import { probe } from '../../src/ownership/probe.ts'
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

describe('the DNS answer of a resolver', () => {
  it.each([
    ['one string without quotes, as Google returns it', 'v=spf1 -all', 'v=spf1 -all'],
    [
      'two strings of one record',
      '"reg-agent=REG-2026-" "0001-0042-U:abc"',
      'reg-agent=REG-2026-0001-0042-U:abc',
    ],
    ['strings without a space between them', '"a""b"', 'ab'],
    ['quotes and backslashes inside', String.raw`"say \"hi\" \\o/"`, String.raw`say "hi" \o/`],
    ['a byte as a decimal escape', String.raw`"a\009b\195"`, 'a\tb\u00c3'],
    ['an unclosed quote', '"abc', ''],
  ])('may contain %s', (_, data, text) => {
    expect(readTxtAnswer(answer(data))).toEqual({ texts: [text] })
  })

  it('may start with a CNAME record', () => {
    const aliased = answer('"x"')
    aliased.Answer.unshift({ name: 'a.', type: 5, TTL: 1, data: 'b.' })
    expect(readTxtAnswer(aliased)).toEqual({ texts: ['x'] })
  })

  it.each([
    ['no such name', { Status: 3 }, { texts: [] }],
    ['a query that the server cannot read', { Status: 1 }, { error: 'FORMERR' }],
    ['a failure', { Status: 2 }, { error: 'SERVFAIL' }],
    ['a kind of query that the server does not answer', { Status: 4 }, { error: 'NOTIMP' }],
    ['a refusal', { Status: 5 }, { error: 'REFUSED' }],
    ['another error', { Status: 9 }, { error: 'code 9' }],
    ['another object', { status: 0 }, null],
    ['null', null, null],
    ['malformed records', { Status: 0, Answer: [1] }, null],
  ])('may be %s', (_, body, read) => {
    expect(readTxtAnswer(body)).toEqual(read)
  })

  it('is parsed in one pass, also with malformed quotes', () => {
    const began = performance.now()
    readTxtAnswer(answer(`"${'\\'.repeat(400_001)}`, `"${'a" '.repeat(200_000)}`))
    // A parser that scans the rest of the text at each quote takes minutes.
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})

const PROOF = { reg: 'REG-2026-0001-0042-U', domain: 'example.com', method: 'dns', token: 'abc' } as const

describe('a proof', () => {
  it('is a TXT record with exactly the agent number and token', () => {
    expect(recordsProblem(['x', 'reg-agent=REG-2026-0001-0042-U:abc'], PROOF)).toBeNull()
    const other = 'reg-agent=REG-2026-0001-0042-U:abcd'
    expect(recordsProblem([other], PROOF)).toMatch(new RegExp(`found: "${other}"$`))
  })

  it('is missing with an error that quotes at most three records, shortened and escaped', () => {
    const problem = recordsProblem(['\u0000\n', 'x'.repeat(5_000), '"', 'd'], PROOF)
    expect(problem).toMatch(/found: "\\u0000\\n", "x{100}", "\\"" and 1 more$/)
  })

  it.each([
    '{"reg":"REG-2026-0001-0042-U","token":"abc"}',
    '[null, 7, {"reg":"REG-2026-0001-0042-U","token":"old"}, {"reg":"REG-2026-0001-0042-U","token":"abc"}]',
  ])('can be the file %s', (text) => {
    expect(fileProblem(text, PROOF)).toBeNull()
  })

  it.each([
    ['{"reg":"REG-2026-0001-0042-U"}', /must contain a JSON object/],
    ['null', /must contain a JSON object/],
    ['', /must contain a JSON object/],
    ['[[{"reg":"REG-2026-0001-0042-U","token":"abc"}]]', /has no entry for/],
    ['{"reg":"REG-2026-0001-0042-U","token":"ABC"}', /different token/],
    ['{"__proto__":{"reg":"REG-2026-0001-0042-U","token":"abc"}}', /must contain a JSON object/],
  ])('cannot be the file %s', (text, problem) => {
    expect(fileProblem(text, PROOF)).toMatch(problem)
  })
})

describe('a domain', () => {
  const NO_DOMAIN = 'must be a domain name'

  it.each([
    ['Example.COM', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['example。com', 'example.com'],
    [`${'a.'.repeat(121)}example.com`, `${'a.'.repeat(121)}example.com`], // 253 characters
  ])('%s is normalized to %s', (text, domain) => {
    expect(readDomain(text, 'https://registry.example.org')).toEqual({ domain })
  })

  it('has at most 253 characters', () => {
    const below = '.a'.repeat(126) // 252 characters
    expect([isDomainName(`a${below}`), isDomainName(`aa${below}`)]).toEqual([true, false])
  })

  it.each([
    ['localhost', 'must use a public host name'],
    ['printer.local', 'must use a public host name'],
    ['127.0.0.1', 'must use a host name, not an IP address'],
    ['2130706433', 'must use a host name, not an IP address'],
    ['１２７.０.０.１', 'must use a host name, not an IP address'],
    ['[::1]', NO_DOMAIN],
    ['example.com.', 'must not have a dot at the end of the host name'],
    ['https://example.com', NO_DOMAIN],
    ['example.com/path', NO_DOMAIN],
    ['example.com:8443', NO_DOMAIN],
    ['user@example.com', NO_DOMAIN],
    ['example%2ecom', NO_DOMAIN],
    ['example..com', NO_DOMAIN],
    ['-a.example.com', NO_DOMAIN],
    ['_dmarc.example.com', NO_DOMAIN],
    [`${'a'.repeat(64)}.example.com`, NO_DOMAIN],
    [`${'a.'.repeat(121)}aexample.com`, 'at most 253 characters, in punycode'],
    ['Registry.example.org', 'must not point to this service'],
  ])('cannot be %s: it %s', (text, problem) => {
    expect(readDomain(text, 'https://registry.example.org')).toEqual({ problem })
  })
})

it('domains are looked up at a public resolver by default', () => {
  expect(parseEnv({ ...SETTINGS }).DOH_URL).toBe('https://cloudflare-dns.com/dns-query')
})

it('a response is canceled if its body is not read', async () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  const cancel = vi.fn()
  vi.stubGlobal('fetch', async () => new Response(new ReadableStream({ cancel }), { status: 500 }))
  for (const method of ['dns', 'http'] as const)
    await probe({ DOH_URL: 'https://resolver.example' }, { ...PROOF, method })
  expect(cancel).toHaveBeenCalledTimes(2)
})

it('the body of a response is read up to a size, and canceled beyond it', async () => {
  expect(await readAtMost(new Response(null), 8)).toEqual(new Uint8Array())
  expect(await readAtMost(new Response('12345678'), 8)).toEqual(new TextEncoder().encode('12345678'))
  const cancel = vi.fn()
  const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(8)), cancel })
  expect(await readAtMost(new Response(endless), 8)).toBeNull()
  expect(cancel).toHaveBeenCalledOnce()
})
