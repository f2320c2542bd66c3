import { createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkProof } from '../../src/agent-keys/proof.ts'
import vectors from '../vectors/agent-keys/key-proofs.json' with { type: 'json' }

const { issuer: audience, reg, kid, jwk, tests } = vectors
const now = new Date(vectors.now * 1000)
const problemOf = async (proof: string) => (await checkProof(proof, { audience, reg, now })).problem
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { alg: 'EdDSA', typ: 'agent-key-proof+jwt', jwk }
const claims = { aud: audience, sub: reg, iat: vectors.now }
const unsigned = (changes: object, said: object = claims) =>
  `${part({ ...header, ...changes })}.${part(said)}.${Buffer.alloc(64).toString('base64url')}`

describe('checkProof', () => {
  it.each(tests)('$name: $error', async ({ proof, error }) => {
    const found = await checkProof(proof, { audience, reg, now })
    if (error === null) expect(found).toEqual({ x: jwk.x, kid, problem: null })
    else expect(`proof: ${found.problem}`).toMatch(new RegExp(`^${error}(:| |$)`))
  })

  it('names what is wrong with a header or claim', async () => {
    const wrong: [string, string][] = [
      [unsigned({ alg: 'ES256' }), 'alg'],
      [unsigned({ jwk: undefined }), 'jwk'],
      [unsigned({ jwk: { ...jwk, crv: 'X25519' } }), 'jwk'],
      [unsigned({ jwk: { ...jwk, x: jwk.x.slice(1) } }), 'jwk'],
      [unsigned({}, { ...claims, iat: `${vectors.now}` }), 'iat'],
      [unsigned({}, { ...claims, aud: [audience] }), 'aud'],
      [unsigned({}), 'signature'],
      [unsigned({}, { ...claims, iat: vectors.now - 600 }), 'signature'], // neither too old
      [unsigned({}, { ...claims, iat: vectors.now + 60 }), 'signature'], // nor from the future
      [unsigned({}, { ...claims, iat: vectors.now - 601 }), 'too old'],
      ['', 'malformed'],
      ['a.b', 'malformed'],
      [`${unsigned({})}.`, 'malformed'],
      [`bnVsbA.bnVsbA.${'A'.repeat(86)}`, 'malformed'],
    ]
    for (const [proof, named] of wrong) expect(await problemOf(proof)).toMatch(new RegExp(`^${named}: `))
  })

  it('rejects every point of small order, in every encoding', async () => {
    const y = [0n, 1n, 2n ** 255n - 20n]
    const order8 = [
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ].map((hex) => BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`))
    const p = 2n ** 255n - 19n
    const all = [...y, p, p + 1n, p + 18n, ...order8].flatMap((one) => [one, one + 2n ** 255n])
    for (const one of all) {
      const x = Buffer.from(one.toString(16).padStart(64, '0'), 'hex').reverse().toString('base64url')
      expect([x, await problemOf(unsigned({ jwk: { ...jwk, x } }))]).toEqual([
        x,
        expect.stringMatching(/^weak key/),
      ])
    }
  })

  it('rejects the keys of RFC 8032, as node derives them', async () => {
    const seeds = [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
      'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
      '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    ]
    for (const seed of seeds) {
      const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
      const key = createPublicKey({ key: der, format: 'der', type: 'pkcs8' } as never)
      const { x } = key.export({ format: 'jwk' })
      expect(await problemOf(unsigned({ jwk: { ...jwk, x } }))).toMatch(/^public test key/)
    }
  })
})
