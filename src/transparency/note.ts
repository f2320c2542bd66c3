import { utf8 } from '../lib/crypto.ts'
import { fromHex, toHex } from '../lib/ids.ts'
import { decodeBase64, encodeBase64, joinBytes } from './bytes.ts'
import {
  ID_BYTES,
  isKeyName,
  SIGNATURE_TYPES,
  type SignerKey,
  signEd25519,
  type VerifierKey,
  verifyEd25519,
} from './keys.ts'

const MAX_NOTE_LENGTH = 1_000_000
const MAX_SIGNATURES = 100
const TIME_BYTES = 8
/** Control characters other than newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a note must not hold
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/
const SIGNATURE_LINE = /^\u2014 ([^ ]+) ([A-Za-z0-9+/]+=*)$/

/** A signature line of a note. */
export interface SignatureLine {
  /** Name of the key. */
  name: string
  /** Id of the key, 4 bytes in hex. */
  id: string
  /** The bytes after the id: 64 for an Ed25519 key; for a witness 8 bytes of time, then 64. */
  signature: Uint8Array<ArrayBuffer>
  /** The whole line, with its newline. */
  line: string
}

/** A text with signatures that have not been verified. */
export interface Note {
  /** With its last newline. */
  text: string
  signatures: SignatureLine[]
}

/**
 * Parses a note; its text ends before the last blank line.
 *
 * @returns null if it is not a note: it has a control character, no signature, an invalid line, or more than 100 lines
 *
 * Source: C2SP signed-note, Format.
 */
export function parseNote(note: string): Note | null {
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || note.length > MAX_NOTE_LENGTH || CONTROL.test(note) || !note.isWellFormed()) return null
  const signatures = parseSignatureLines(note.slice(split + 2))
  return signatures && { text: note.slice(0, split + 1), signatures }
}

/**
 * Parses the signature lines of a note or of the response of a witness.
 *
 * @returns null if there are none, more than 100, or an invalid one
 */
export function parseSignatureLines(lines: string): SignatureLine[] | null {
  const parts = lines.split('\n')
  if (parts.pop() !== '' || parts.length === 0 || parts.length > MAX_SIGNATURES) return null
  const signatures: SignatureLine[] = []
  for (const part of parts) {
    const [, name = '', data = ''] = SIGNATURE_LINE.exec(part) ?? []
    const bytes = decodeBase64(data)
    if (!bytes || bytes.length <= ID_BYTES || !isKeyName(name)) return null
    const id = toHex(bytes.subarray(0, ID_BYTES))
    signatures.push({ name, id, signature: bytes.slice(ID_BYTES), line: `${part}\n` })
  }
  return signatures
}

/**
 * Signs a text as a note.
 *
 * @param text well-formed lines without control characters, each with its newline
 * @param signers each adds a line, in this order
 *
 * Source: C2SP signed-note, Ed25519 signatures.
 */
export async function signNote(text: string, signers: readonly SignerKey[]): Promise<string> {
  const lines = await Promise.all(
    signers.map(async (signer) => {
      const { name, id } = signer.verifier
      const signature = await signEd25519(signer, utf8(text))
      return `\u2014 ${name} ${encodeBase64(joinBytes(fromHex(id), signature))}\n`
    }),
  )
  return `${text}\n${lines.join('')}`
}

/** Whether a line claims to be of a key, by name and id; the signature is not verified. */
export function isLineOf({ name, id }: SignatureLine, key: VerifierKey): boolean {
  return name === key.name && id === key.id
}

/** Verifies a signature line over the text of a note. Source: C2SP signed-note, Ed25519 signatures. */
export async function verifyLine(
  text: string,
  { signature }: SignatureLine,
  key: VerifierKey,
): Promise<boolean> {
  return key.type === SIGNATURE_TYPES.note && verifyEd25519(key, signature, utf8(text))
}

/**
 * Verifies the cosignature of a witness.
 *
 * @param text of the checkpoint, with its last newline
 * @returns the time of the cosignature in Unix seconds; null if it is invalid. The time 0, which means unknown, and
 * times from 2^53 on are rejected
 *
 * Source: C2SP tlog-cosignature, Ed25519 signed message.
 */
export async function verifyCosignature(
  text: string,
  { signature }: SignatureLine,
  key: VerifierKey,
): Promise<number | null> {
  if (key.type !== SIGNATURE_TYPES.cosignature || signature.length <= TIME_BYTES) return null
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
  if (!Number.isSafeInteger(time) || time === 0) return null
  const signed = utf8(`cosignature/v1\ntime ${time}\n${text}`)
  return (await verifyEd25519(key, signature.slice(TIME_BYTES), signed)) ? time : null
}
