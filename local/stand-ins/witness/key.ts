import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

const NOTE_TYPE = 1
const COSIGNATURE_TYPE = 4
const ID_BYTES = 4
const KEY_BYTES = 32
/** The prefix of a seed in PKCS #8 and of a public key in SPKI. Source: RFC 8410. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** The key of a log, which signs the text of its checkpoints. */
export interface LogKey {
  /** The origin of the log. */
  name: string
  id: Buffer
  publicKey: KeyObject
}

/** The key of a witness. */
export interface WitnessKey {
  vkey: string
  /** The cosignature line of a checkpoint, with its newline; `time` in Unix seconds. */
  cosign(text: string, time: number): string
}

/**
 * Derives the key of a witness from its seed.
 *
 * @param seed 32 bytes
 *
 * Source: C2SP tlog-cosignature, Ed25519 signed message
 */
export function witnessKey(name: string, seed: Buffer): WitnessKey {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  const data = Buffer.concat([Buffer.of(COSIGNATURE_TYPE), spki.subarray(SPKI_HEAD.length)])
  const id = idOf(name, data)
  return {
    vkey: `${name}+${id.toString('hex')}+${data.toString('base64')}`,
    cosign: (text, time) => {
      const at = Buffer.alloc(8)
      at.writeBigUInt64BE(BigInt(time))
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey)
      return `— ${name} ${Buffer.concat([id, at, signature]).toString('base64')}\n`
    },
  }
}

/**
 * Reads the verifier key of a log.
 *
 * @throws TypeError for any other text
 *
 * Source: C2SP signed-note, Verifier keys
 */
export function logKey(vkey: string): LogKey {
  const [, name = '', id = '', text = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? []
  const data = Buffer.from(text, 'base64')
  const isKey = data.length === 1 + KEY_BYTES && data[0] === NOTE_TYPE
  if (!isKey || idOf(name, data).toString('hex') !== id) throw new TypeError(`${vkey}: not the key of a log`)
  const key = Buffer.concat([SPKI_HEAD, data.subarray(1)])
  return { name, id: idOf(name, data), publicKey: createPublicKey({ key, format: 'der', type: 'spki' }) }
}

/** Whether a log key made this note signature, given without its key id. */
export function isSignedBy({ publicKey }: LogKey, text: string, signature: Buffer): boolean {
  return verify(null, Buffer.from(text), publicKey, signature)
}

function idOf(name: string, data: Buffer): Buffer {
  return createHash('sha256').update(`${name}\n`).update(data).digest().subarray(0, ID_BYTES)
}
