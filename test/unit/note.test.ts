import { describe, expect, it } from 'vitest'
import { verifyProof } from '../../packages/verify/proof.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { formatCheckpoint, openCheckpoint, parseCheckpoint } from '../../src/transparency/checkpoint.ts'
import {
  makeSignerKey,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
} from '../../src/transparency/keys.ts'
import { parseNote, signNote } from '../../src/transparency/note.ts'
import { hasQuorum, parsePolicy } from '../../src/transparency/policy.ts'
import { formatProof, parseProof } from '../../src/transparency/proof-text.ts'
import { inclusionPath } from '../../src/transparency/tiles.ts'
import { formatAddCheckpoint, parseConflict } from '../../src/transparency/witness.ts'
import { tilesOf, treeNodes } from '../support/trees.ts'
import vectors from '../vectors/tlog.json' with { type: 'json' }

const { keys, policy, text, signed, cases, bad_keys } = vectors.notes
const vkeys = keys.map(({ vkey }) => vkey)
const [log = '', next = '', other = '', w1 = '', w2 = ''] = vkeys

async function signerOf(at: number): Promise<SignerKey> {
  const signer = await parseSignerKey(keys[at]?.skey ?? '')
  if (!signer) throw new Error(`key ${at} does not parse`)
  return signer
}

describe('keys', () => {
  it.each(vkeys)('%s parses as Go writes it', async (vkey) => {
    expect((await parseVerifierKey(vkey))?.vkey).toBe(vkey)
  })

  it('for signing equal those of Go', async () => {
    expect((await signerOf(0)).verifier.vkey).toBe(log)
    expect((await signerOf(1)).verifier.vkey).toBe(next)
  })

  it('that are generated parse', async () => {
    const made = await makeSignerKey('registry.example/log')
    expect((await parseSignerKey(made.skey))?.verifier.vkey).toBe(made.vkey)
    expect((await makeSignerKey('registry.example/log')).vkey).not.toBe(made.vkey)
    for (const origin of ['a+b', 'half\ud800']) await expect(makeSignerKey(origin)).rejects.toThrow(/^origin/)
  })

  it.each(bad_keys)('%j is malformed', async (vkey) => {
    expect(await parseVerifierKey(vkey)).toBeNull()
    expect(await parseSignerKey(`PRIVATE+KEY+${vkey}`)).toBeNull()
  })

  it('with the name of another key cannot sign', async () => {
    const skey = keys[0]?.skey ?? ''
    expect(await parseSignerKey(skey.replace('/log+', '/log2+'))).toBeNull()
    expect(await parseSignerKey(skey.slice(12))).toBeNull()
  })
})

describe('a note', () => {
  it('is signed with the same bytes as by Go', async () => {
    expect(await signNote(text, [await signerOf(0)])).toBe(signed)
    const both = cases.find(({ name }) => name === 'signed by both of its keys')
    expect(await signNote(text, [await signerOf(0), await signerOf(1)])).toBe(both?.note)
  })

  it('has at most 1,000,000 characters', () => {
    const ofLength = (length: number) => signed.padStart(length, 'a')
    expect(parseNote(ofLength(1_000_000))).toMatchObject({ signatures: [{}] })
    expect(parseNote(ofLength(1_000_001))).toBeNull()
  })
})

describe('a checkpoint', () => {
  it('is formatted as it is parsed', () => {
    const checkpoint = parseCheckpoint(text)
    expect(checkpoint).toMatchObject({ origin: 'registry.example/log', size: 300 })
    expect(checkpoint && formatCheckpoint(checkpoint)).toBe(text)
    expect(parseCheckpoint(`${text}extension\nanother\n`)).toEqual(checkpoint)
  })

  it.each(cases)('$name: $reason', async ({ note, quorum, reason, witnesses }) => {
    const { checkpoint, reason: found } = await openCheckpoint(
      note,
      await parsePolicy(`${policy}quorum ${quorum}`),
    )
    expect(found).toBe(reason)
    if (!checkpoint) return
    expect(Object.fromEntries(checkpoint.witnesses.map(({ name, time }) => [name, time]))).toEqual(witnesses)
    expect(note.startsWith(`${checkpoint.text}\n— `)).toBe(true)
    expect(checkpoint.text.startsWith(formatCheckpoint(checkpoint))).toBe(true)
  })
})

describe('a witness', () => {
  it('receives a request in the format of its protocol', () => {
    const hash = new Uint8Array(32)
    const expected = `old 299\n${encodeBase64(hash)}\n${encodeBase64(hash)}\n\n${signed}`
    expect(formatAddCheckpoint(299, [hash, hash], signed)).toBe(expected)
    expect(formatAddCheckpoint(0, [], signed)).toBe(`old 0\n\n${signed}`)
  })

  it('returns the size that it knows', () => {
    expect(parseConflict('20852014\n')).toBe(20_852_014)
    expect(parseConflict('0\n')).toBe(0)
    for (const body of ['', '1', '01\n', '-1\n', '1\n1\n', '9007199254740992\n', ' 1\n']) {
      expect(parseConflict(body)).toBeNull()
    }
  })
})

describe('a policy', () => {
  it('lists trusted logs and witnesses', async () => {
    const read = await parsePolicy(`# ours\n\n \t# theirs\n${policy}\tquorum  most \n`)
    expect(read.logs.map(({ vkey }) => vkey)).toEqual([log, next])
    expect(read.witnesses.map(({ name, url }) => [name, url])).toEqual([
      ['one', null],
      ['two', 'https://w2.example/'],
      ['three', null],
    ])
    const has = (...names: string[]) => hasQuorum(read, new Set(names))
    expect([has('one', 'two'), has('one', 'three'), has('one', 'two', 'three')]).toEqual([true, true, true])
    expect([has(), has('one'), has('two', 'three'), has('pair', 'one')]).toEqual([false, false, false, false])
  })

  it.each([
    ['', 'no quorum'],
    ['quorum none\nquorum none', 'line 2: a second quorum'],
    ['quorum one', 'line 1: must name'],
    ['quorum none none', 'line 1: must name'],
    ['hello', 'line 1: must begin with'],
    [`log ${w1}`, 'line 1: must be log'],
    [`log ${log}\nlog ${log}`, 'line 2: a log that is listed'],
    [`witness one ${log}`, 'line 1: must be witness'],
    [`witness one ${w1}\nwitness one ${w2}`, 'line 2: a name that is taken'],
    [`witness one ${w1}\nwitness two ${w1}`, 'line 2: a witness that is listed'],
    [`witness one ${w1}\ngroup one all one`, 'line 2: a name that is taken'],
    [`witness one ${w1}\ngroup g all one\ngroup h all one`, 'line 3: one is a member'],
    [`witness one ${w1}\ngroup g 2 one`, 'line 2: must be group'],
    [`witness one ${w1}\ngroup g 0 one`, 'line 2: must be group'],
    [`witness one ${w1}\ngroup g any`, 'line 2: must be group'],
    ['group g any none', 'line 1: none is not defined'],
    ['quorum none\r', 'line 1: control'],
  ])('cannot be %j', async (lines, problem) => {
    await expect(parsePolicy(lines)).rejects.toThrow(problem)
  })
})

describe('a proof', () => {
  const leaf = new TextEncoder().encode('leaf 42')
  const trusted = parsePolicy(`${policy}quorum none`)

  async function made(): Promise<string> {
    const path = await inclusionPath(42, 300, tilesOf(treeNodes()))
    return formatProof({ leaf, index: 42, path, note: signed })
  }

  it('has the format of the specification', async () => {
    const lines = (await made()).split('\n')
    expect(lines.slice(0, 3)).toEqual(['c2sp.org/tlog-proof@v1', 'extra bGVhZiA0Mg==', 'index 42'])
    expect(lines.slice(3, 12).map(({ length }) => length)).toEqual(Array(9).fill(44))
    expect(lines.slice(12).join('\n')).toBe(`\n${signed}`)
    const parsed = parseProof(await made())
    expect(parsed && formatProof(parsed)).toBe(await made())
  })

  it('verifies with the leaf that it contains', async () => {
    const proof = await made()
    const verified = await verifyProof(proof, await trusted)
    expect(verified).toMatchObject({
      index: 42,
      bytes: leaf,
      read: { leaf: null, reason: 'malformed' },
      reason: null,
    })
    const bare = proof.replace(/extra .*\n/, '')
    expect((await verifyProof(bare, await trusted)).reason).toBe('no_leaf')
    const cut = bare.slice(0, bare.indexOf('\n\n') + 1) // without the checkpoint
    expect((await verifyProof(cut, await trusted)).reason).toBe('malformed')
  })

  it.each([
    ['extra bGVhZiA0Mg==', 'extra bGVhZiA0Mw==', 'not_included'],
    ['index 42', 'index 43', 'not_included'],
    ['index 42', 'index 042', 'malformed'],
    ['index 42', 'index 9007199254740992', 'malformed'],
    ['@v1', '@v2', 'malformed'],
    ['index 42\n', 'index 42\nAAAA\n', 'malformed'],
    ['index 42\n', `index 42\n${encodeBase64(new Uint8Array(32))}\n`, 'not_included'],
    ['\n300\n', '\n301\n', 'bad_signature'],
    ['registry.example/log\n', 'other.example/log\n', 'unknown_log'],
  ])('with %j replaced by %j is rejected: %s', async (find, put, reason) => {
    const changed = (await made()).replace(find, put)
    expect(changed).not.toBe(await made())
    expect((await verifyProof(changed, await trusted)).reason).toBe(reason)
  })

  it('needs a policy that trusts its log', async () => {
    const verify = async (lines: string) => (await verifyProof(await made(), await parsePolicy(lines))).reason
    expect(await verify(`log ${other}\nquorum none`)).toBe('unknown_log')
    expect(await verify(`log ${log}\nwitness one ${w1}\nquorum one`)).toBe('too_few_witnesses')
    expect(await verify('quorum none')).toBe('unknown_log')
  })
})
