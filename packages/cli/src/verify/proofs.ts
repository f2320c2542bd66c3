import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../../../src/lib/json.ts'
import {
  type AgentEntry,
  type Check,
  formatProof,
  inclusionPath,
  leafBytes,
  NO_WITNESSES,
  type Opening,
  openLeaf,
  type Sha256,
  type Trust,
  type Verdict,
  verifyProof,
} from '../../../verify/index.ts'
import { Failure, messageOf } from '../failure.ts'

const PROOF = '.tlog-proof'
const OPENING = '.opening.json'

/** SHA-256 of Node, which is several times faster than that of Web Crypto. */
export const nodeSha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())

/**
 * Writes a proof of each leaf of the agent, and its opening next to it; with the key of the log, they can be verified
 * offline.
 *
 * @throws Failure that names the folder, if it cannot be created
 */
export function saveProofs(dir: string): Check {
  try {
    mkdirSync(dir, { recursive: true })
  } catch (cause) {
    throw new Failure(`--save ${dir}: ${messageOf(cause)}`, { cause })
  }
  return {
    name: 'save',
    async verify({ head, entries }) {
      if (!head || !entries) throw new Error('cannot be saved without the entries')
      const { note, tree } = head
      for (const { index, leaf, opening } of entries) {
        const path = await inclusionPath(index, tree.size, tree.readTiles, nodeSha256)
        const file = join(dir, fileOf(leaf, index))
        writeFileSync(file + PROOF, formatProof({ leaf: leafBytes(leaf), index, path, note }))
        if (opening) writeFileSync(file + OPENING, `${JSON.stringify(opening, null, 2)}\n`)
      }
      return `${entries.length} proofs in ${dir}`
    },
  }
}

/**
 * Verifies a saved proof, and the opening next to it, offline.
 *
 * @throws Error when the file cannot be read; Failure when the policy names no log
 */
export async function verifyOffline(
  file: string,
  { policy = NO_WITNESSES, logs = policy.logs }: Trust,
): Promise<Verdict> {
  if (logs.length === 0)
    throw new Failure('--offline: requires --vkey, or a policy (--witness) with a line "log <vkey>"')
  const verified = await verifyProof(readFileSync(file, 'utf8'), { ...policy, logs: [...logs] })
  const checks: Verdict['checks'] = []
  const seen = (verified.checkpoint?.witnesses ?? []).map(({ name }) => name)
  const done = (verdict: 'verified' | 'failed'): Verdict => ({ verdict, checks, notes: [], witnesses: seen })
  const add = (name: string, ok: boolean, detail: string) => void checks.push({ name, ok, detail })
  if (verified.reason !== null) {
    add('proof', false, `${file} is not valid (${verified.reason})`)
    return done('failed')
  }
  const { index, bytes, read, checkpoint } = verified
  add('checkpoint', true, `${checkpoint.origin} has signed ${checkpoint.size} leaves`)
  if (seen.length > 0) add('witnesses', true, seen.join(', '))
  add('proof', true, `leaf ${index}: ${new TextDecoder().decode(bytes)}`)
  const beside = file.endsWith(PROOF) ? file.slice(0, -PROOF.length) + OPENING : ''
  if (!read.leaf || !existsSync(beside)) return done('verified')
  const opening = parseOpening(readFileSync(beside, 'utf8'))
  const { content, reason } = opening
    ? await openLeaf(read.leaf, opening)
    : { content: null, reason: 'malformed' }
  if (reason !== null) {
    add('opening', false, `${beside} does not open this leaf (${reason})`)
    return done('failed')
  }
  add('opening', true, opening?.facts ?? '')
  if (content) add('content', true, opening?.metadata ?? opening?.texts ?? '')
  return done('verified')
}

function fileOf(leaf: AgentEntry['leaf'], index: number): string {
  const numbered = 'seq' in leaf && leaf.kind !== 'day' ? leaf.seq : 'rev' in leaf ? leaf.rev : ''
  const of = leaf.kind === 'incident' ? `${leaf.id}-` : leaf.kind === 'day' ? `${leaf.day}-` : ''
  return `${leaf.reg}-${leaf.kind}-${of}${numbered}-at-${index}`
}

function parseOpening(text: string): Opening | null {
  const opening = Object(parseJson(text))
  return [opening.salt, opening.facts].every((one) => typeof one === 'string') ? opening : null
}
