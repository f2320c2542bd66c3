import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { signRequest, type VerifyRequestOptions, verifyRequest } from '@agentreg/verify'
import { expect, it } from 'vitest'
import { parseDictionary } from '../../packages/verify/fields.ts'
import { makeKey } from '../support/agent-keys.ts'
import { keyDirectory } from '../support/key-directory.ts'
import { LONG_SEARCH } from '../support/long-search.ts'
import { seeded } from '../vectors/rollups.ts'

const ISSUER = 'https://registry.example'
const ORIGIN = 'https://shop.example'
const NOW = 1_795_392_000
const MUTATIONS = LONG_SEARCH ? 60_000 : 6_000
const REG = 'REG-2026-0001-0042-U'
const at = (seconds: number) => new Date(seconds * 1000)

/** A dictionary in its strict serialization. */
const canonical = (text = '') =>
  JSON.stringify([...(parseDictionary(text.trim()) ?? [])].map(([key, member]) => [key, member.text]))

/** An agent, its registry, and a signed request that `check` verifies after it was changed. */
async function world() {
  const own = await makeKey()
  const holder = { reg: REG, active: true, operator_status: 'active' }
  const known = { kid: own.kid, jwk: own.jwk, holder, added_at: at(NOW - 86_400).toISOString() }
  const directory = await keyDirectory(ISSUER, [known])
  directory.state.now = NOW
  const agents = directory.open()
  const signatureAgent = `${ISSUER}/agents/${REG}/jwks.json`
  const sign = (method: string, url: string, more: object = {}) =>
    signRequest({ method, url }, { key: own.key, signatureAgent, now: at(NOW), ...more })
  const check = async (
    url: string,
    headers: object,
    options: Partial<VerifyRequestOptions> = {},
    init = {},
  ) =>
    verifyRequest(new Request(url, { ...init, headers: { ...headers } }), {
      agents,
      origin: ORIGIN,
      now: at(NOW + 1),
      ...options,
    })
  const reasonOf = async (...given: Parameters<typeof check>) => (await check(...given)).reason
  /** The reason for a request that is signed and verified some seconds after the start. */
  const reasonAt = async (after: number, options: object = {}) => {
    const now = at(NOW + after)
    return reasonOf(`${ORIGIN}/a`, await sign('GET', `${ORIGIN}/a`, { now, ...options }), { now, ...options })
  }
  return { own, known, directory, sign, check, reasonOf, reasonAt }
}

it('a request for another host is rejected, even with its Host header', async () => {
  const { sign, reasonOf } = await world()
  const headers = await sign('GET', 'https://other.example/a')
  expect(await reasonOf('https://other.example/a', headers)).toBe('bad_signature')
  const both = { origin: [ORIGIN, 'https://api.example'] }
  expect(await reasonOf('https://other.example/a', headers, both)).toBe('wrong_host')
  const api = await sign('GET', 'https://api.example/a')
  expect(await reasonOf('https://api.example/a', api, both)).toBeNull()
  expect(await reasonOf(`${ORIGIN}/a`, api, both)).toBe('bad_signature')
})

it('a request is accepted once, for its URL and body, and for a minute', async () => {
  const { sign, reasonOf } = await world()
  const used = new Map<string, Date>()
  const once = (id: string, until: Date) => !used.has(id) && used.set(id, until) instanceof Map
  const headers = await sign('POST', `${ORIGIN}/a?b=1`, { body: 'c' })
  const post = { method: 'POST', body: 'c' }
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, { once }, { method: 'POST', body: 'x' })).toBe(
    'bad_digest',
  )
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, { once, body: 'x' }, post)).toBe('bad_digest')
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, { once }, post)).toBeNull()
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, { once }, post)).toBe('replayed')
  expect([...used.values()]).toEqual([at(NOW + 90)])
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, {}, { method: 'PUT', body: 'c' })).toBe('bad_signature')
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, { now: at(NOW + 90) }, post)).toBeNull()
  expect(await reasonOf(`${ORIGIN}/a?b=1`, headers, { now: at(NOW + 91) }, post)).toBe('expired')
})

it('a target is what the server received, and must be canonical', async () => {
  const { sign, directory } = await world()
  const agents = directory.open()
  const headers = await sign('GET', `${ORIGIN}/b`)
  const reasons: (string | null)[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    reasons.push((await verifyRequest(request, { agents, origin: ORIGIN, now: at(NOW) })).reason)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const targets = ['/b', '/a/../b', '/./b', '/%2e/b', '//b', '/b#c', '/b?c', '/b?', 'http://other.example/b']
  for (const target of targets) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines.join('')}\r\n`)
    await once(socket.resume(), 'close')
  }
  server.close()
  expect(reasons).toEqual([
    null,
    'malformed',
    'malformed',
    'malformed',
    'bad_signature',
    'malformed',
    'not_covered',
    'not_covered',
    'malformed',
  ])
})

it('a request of HTTP/2 in Node is read without its pseudo-headers', async () => {
  const { sign, directory } = await world()
  const headers = { ':method': 'GET', ':path': '/a', ...(await sign('GET', `${ORIGIN}/a`)) }
  const options = { agents: directory.open(), origin: ORIGIN, now: at(NOW) }
  expect((await verifyRequest({ method: 'GET', url: '/a', headers }, options)).reason).toBeNull()
})

it.each([
  [
    'a keyid that is no thumbprint',
    /keyid="[^"]*"/,
    'keyid="../../verify/REG-2026-0001-0042-U"',
    'unsupported',
  ],
  ['more than 8 KB', /$/, `, pad="${'a'.repeat(8_192)}"`, 'malformed'],
  ['a component with an unknown parameter', '"@path"', '"@path" "x-a";sf', 'bad_component'],
  ['a missing component', '"@path"', '"@path" "x-b"', 'bad_component'],
])('%s is rejected before the registry is asked', async (_, part, replacement, reason) => {
  const { sign, reasonOf, directory } = await world()
  const headers = await sign('GET', `${ORIGIN}/a`)
  const changed = headers['signature-input']?.replace(part, replacement)
  expect(await reasonOf(`${ORIGIN}/a`, { ...headers, 'signature-input': changed, 'x-a': '1' })).toBe(reason)
  expect(directory.state.asked).toEqual([])
})

it('a token proves nothing with another key, and cannot be replaced or removed', async () => {
  const { sign, reasonOf, directory, known } = await world()
  const other = await makeKey()
  const token = await directory.tokenFor(known, NOW)
  directory.state.status = 404
  const stolen = await sign('GET', `${ORIGIN}/a`, { key: other.key, token })
  expect(await reasonOf(`${ORIGIN}/a`, stolen)).toBe('unknown_key')
  const headers = await sign('GET', `${ORIGIN}/a`, { token })
  const { 'signature-key': _, ...stripped } = headers
  expect(await reasonOf(`${ORIGIN}/a`, stripped)).toBe('bad_component')
  const swapped = { ...headers, 'signature-key': headers['signature-key']?.replace('sig1=jwt', 'sig1=hwk') }
  expect(await reasonOf(`${ORIGIN}/a`, swapped)).toBe('unknown_key')
  const added = { ...(await sign('GET', `${ORIGIN}/a`)), 'signature-key': headers['signature-key'] }
  expect(await reasonOf(`${ORIGIN}/a`, added)).toBe('not_covered')
  expect(await reasonOf(`${ORIGIN}/a`, headers)).not.toBe('bad_signature')
})

it('a new key can be refused for some time', async () => {
  const { reasonAt } = await world()
  expect(await reasonAt(0, { minKeyAgeSeconds: 86_400 })).toBeNull()
  expect(await reasonAt(0, { minKeyAgeSeconds: 86_402 })).toBe('key_too_new')
})

it('400 requests with invented keys cause 120 look-ups a minute; known keys are still asked for', async () => {
  const { sign, reasonOf, directory } = await world()
  const known = await sign('GET', `${ORIGIN}/a`, { seconds: 300 })
  expect(await reasonOf(`${ORIGIN}/a`, known)).toBeNull()
  const reasons = await Promise.all(
    Array.from({ length: 400 }, async () => {
      const { key } = await makeKey()
      return reasonOf(`${ORIGIN}/a`, await sign('GET', `${ORIGIN}/a`, { key }))
    }),
  )
  expect(directory.state.asked).toHaveLength(120)
  expect(reasons.filter((reason) => reason === 'unavailable')).toHaveLength(281)
  expect(await reasonOf(`${ORIGIN}/a`, known, { now: at(NOW + 20), fresh: true })).toBeNull()
  expect(directory.state.asked).toHaveLength(121)
})

it('look-ups of invented keys are allowed again from the next minute on', async () => {
  const { directory } = await world()
  const agents = directory.open()
  const minute = 1_800_000_000
  const ask = (kid: string, seconds: number) => agents.holderOf({ kid, token: null, fresh: false, seconds })
  for (let n = 0; n < 120; n++) await ask(`k${n}`, minute - 1)
  expect(await ask('over', minute - 1)).toBe('unavailable')
  expect(await ask('next', minute)).toBe('unknown_key')
})

it('10,000 keys are remembered, the oldest is forgotten', async () => {
  const { own, directory } = await world()
  const agents = directory.open()
  const ask = (kid: string, seconds: number) => agents.holderOf({ kid, token: null, fresh: false, seconds })
  const askedFor = async () => {
    directory.state.asked.length = 0
    await ask(own.kid, NOW + 60)
    return directory.state.asked.length
  }
  await ask(own.kid, NOW)
  for (let n = 1; n < 10_000; n++) await ask(`${n}`.padStart(43, '_'), NOW + (n % 2) * 60) // each in another minute
  expect(await askedFor()).toBe(0)
  await ask(''.padStart(43, '_'), NOW)
  expect(await askedFor()).toBe(1)
})

it('one key is asked for once at a time', async () => {
  const { sign, reasonOf, directory } = await world()
  const headers = await sign('GET', `${ORIGIN}/a`)
  await Promise.all(Array.from({ length: 20 }, () => reasonOf(`${ORIGIN}/a`, headers)))
  expect(directory.state.asked).toHaveLength(1)
})

it('a revoked key is refused after 5 minutes, 10 seconds with `fresh`, and the end of its token', async () => {
  const { reasonAt, directory, known } = await world()
  expect(await reasonAt(0)).toBeNull()
  directory.state.status = 404
  expect([await reasonAt(9, { fresh: true }), await reasonAt(299)]).toEqual([null, null])
  expect(await reasonAt(300)).toBe('unknown_key')

  directory.state.status = 200
  expect(await reasonAt(360)).toBeNull()
  directory.state.status = 404
  expect(await reasonAt(371, { fresh: true })).toBe('unknown_key')

  const token = await directory.tokenFor(known, NOW)
  directory.state.status = 0
  const agents = directory.open()
  expect(await reasonAt(959, { token, agents })).toBeNull()
  expect(await reasonAt(961, { token, agents })).toBe('unavailable')
  expect(await reasonAt(700, { token, agents: directory.open(), fresh: true })).toBe('unavailable')
})

it('a token from before the registry has denied a key does not revive it', async () => {
  const { reasonAt, directory, known } = await world()
  const [old, token] = [await directory.tokenFor(known, NOW), await directory.tokenFor(known, NOW + 150)]
  directory.state.status = 404
  expect([await reasonAt(100), await reasonAt(170, { token: old })]).toEqual(['unknown_key', 'unknown_key'])
  directory.state.status = 0
  expect([await reasonAt(240, { token: old }), await reasonAt(240, { token })]).toEqual(['unavailable', null])
})

it('a registry that is away leaves the last statement in force until its end', async () => {
  const { reasonAt, directory } = await world()
  expect(await reasonAt(0)).toBeNull()
  directory.state.status = 503
  expect(await reasonAt(959)).toBeNull()
  expect(await reasonAt(960)).toBe('unavailable')
})

it('only the registry is fetched, whatever Signature-Agent names', async () => {
  const { sign, reasonOf, directory, own } = await world()
  const headers = await sign('GET', `${ORIGIN}/a`, { signatureAgent: 'https://169.254.169.254/keys' })
  expect(await reasonOf(`${ORIGIN}/a`, headers)).toBeNull()
  expect(directory.state.asked).toEqual([`${ISSUER}/api/v1/agent-keys/${own.kid}/token`])
  const plain = await sign('GET', `${ORIGIN}/a`, { signatureAgent: 'http://other.example/keys' })
  expect(await reasonOf(`${ORIGIN}/a`, plain)).toBe('not_covered')
})

it('an agent of a suspended operator is refused', async () => {
  const { reasonAt, known } = await world()
  known.holder.operator_status = 'suspended'
  expect(await reasonAt(0)).toBe('inactive')
})

it('an invalid option throws', async () => {
  const { check } = await world()
  for (const options of [{ origin: 'shop.example' }, { origin: [] }, { now: at(Number.NaN) }, { agents: {} }])
    await expect(check(`${ORIGIN}/a`, {}, options as object)).rejects.toThrow(TypeError)
})

it('of three signatures one must verify; a fourth is not looked at', async () => {
  const { sign, reasonOf } = await world()
  const [good, bad] = [await sign('GET', `${ORIGIN}/a`), await sign('GET', `${ORIGIN}/b`)]
  const joined = (count: number) => {
    const all = [...Array.from({ length: count }, (_, n) => [bad, `x${n}`] as const), [good, 'sig1'] as const]
    const of = (name: string) => all.map(([one, label]) => one[name]?.replace(/^sig1/, label)).join(', ')
    return { ...good, 'signature-input': of('signature-input'), signature: of('signature') }
  }
  expect(await reasonOf(`${ORIGIN}/a`, joined(2))).toBeNull()
  expect(await reasonOf(`${ORIGIN}/a`, joined(3))).toBe('bad_signature')
  const [input = '', signature = ''] = [bad['signature-input'], bad.signature]
  const unknown = input.replace(/^sig1/, 'x1').replace(/keyid="[^"]*"/, 'keyid="A"')
  const both = {
    'signature-input': `${input}, ${unknown}`,
    signature: `${signature}, ${signature.replace(/^sig1/, 'x1')}`,
  }
  expect(await reasonOf(`${ORIGIN}/a`, { ...bad, ...both })).toBe('bad_signature') // the reason of the first
})

it('no mutated request makes it throw or is accepted', async () => {
  const { sign, directory, known } = await world()
  const token = await directory.tokenFor(known, NOW)
  const original = await sign('GET', `${ORIGIN}/a?b=1`, { token })
  const agents = directory.open()
  const names = Object.keys(original)
  const pieces = [...',;"=():\\ \t@\u00e9\0*', '?1', ';key="sig1"']
  const random = seeded(7)
  const pick = (below: number) => Math.floor(below * random())
  let verified = 0
  const options = { agents, origin: ORIGIN, now: at(NOW + 1) }
  for (let n = 0; n < MUTATIONS; n++) {
    const headers: Record<string, string> = { ...original }
    const name = names[pick(names.length)] ?? ''
    const value = headers[name] ?? ''
    const [from, length] = [pick(value.length), pick(4)]
    const piece = [pieces[pick(pieces.length)], String.fromCharCode(pick(256)), ''][pick(3)] ?? ''
    headers[name] = value.slice(0, from) + piece + value.slice(from + length)
    const url = pick(10) === 0 ? `/a?b=1${piece}` : '/a?b=1'
    const found = await verifyRequest({ method: 'GET', url, headers }, options)
    if (found.outcome !== 'verified') continue
    verified++
    // What is still verified differs only in ways that RFC 9651 does not distinguish, such as spaces.
    const different = names.filter((one) => canonical(headers[one]) !== canonical(original[one]))
    expect(different).toEqual([])
    expect(url).toBe('/a?b=1')
  }
  expect(verified).toBeGreaterThan(MUTATIONS / 100)
  for (const given of [{}, { headers: null }, { headers: { 'a b': 1 } }, { headers: {}, url: null }])
    expect((await verifyRequest(given as never, options)).agent).toBeNull()
})
