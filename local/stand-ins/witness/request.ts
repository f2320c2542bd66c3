import type { Head } from './tree.ts'

const HASH_BYTES = 32
const MAX_PATH = 63
const SIZE = /^(?:0|[1-9]\d{0,18})$/
const BASE64 = /^[A-Za-z0-9+/]+=*$/
const SIGNATURE_LINE = /^\u2014 (\S+) (\S+)$/
const ID_BYTES = 4

/** A signature line of a checkpoint. */
export interface SignatureLine {
  name: string
  id: Buffer
  signature: Buffer
}

/** A request to cosign. */
export interface AddCheckpoint {
  /** The size of the last head that the witness cosigned, according to the log. */
  oldSize: bigint
  path: Buffer[]
  /** The signed text of the checkpoint, with its last newline. */
  text: string
  origin: string
  head: Head
  signatures: SignatureLine[]
}

/** Parses the body of `add-checkpoint`; null if it is malformed. Source: C2SP tlog-witness, add-checkpoint. */
export function parseRequest(body: string): AddCheckpoint | null {
  const split = body.indexOf('\n\n')
  const [first = '', ...hashes] = body.slice(0, split).split('\n')
  const oldSize = /^old (\S+)$/.exec(first)?.[1] ?? ''
  const path = hashes.map(decode)
  const note = body.slice(split + 2)
  const end = note.lastIndexOf('\n\n')
  const text = note.slice(0, end + 1)
  const [origin = '', size = '', hash = '', ...extensions] = text.split('\n')
  const root = decode(hash)
  const signatures = signaturesIn(note.slice(end + 2))
  const isWhole = split > 0 && end > 0 && extensions.pop() === '' && extensions.every((line) => line !== '')
  if (!isWhole || !SIZE.test(oldSize) || !SIZE.test(size) || origin === '' || !signatures) return null
  if (path.length > MAX_PATH || root?.length !== HASH_BYTES) return null
  if (!path.every((one): one is Buffer => one?.length === HASH_BYTES)) return null
  return { oldSize: BigInt(oldSize), path, text, origin, head: { size: BigInt(size), root }, signatures }
}

function signaturesIn(block: string): SignatureLine[] | null {
  const lines = block.split('\n')
  if (lines.pop() !== '' || lines.length === 0) return null
  const signatures: SignatureLine[] = []
  for (const line of lines) {
    const [, name = '', text = ''] = SIGNATURE_LINE.exec(line) ?? []
    const data = decode(text)
    if (!data || data.length <= ID_BYTES) return null
    signatures.push({ name, id: data.subarray(0, ID_BYTES), signature: data.subarray(ID_BYTES) })
  }
  return signatures
}

function decode(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return BASE64.test(text) && bytes.toString('base64') === text ? bytes : null
}
