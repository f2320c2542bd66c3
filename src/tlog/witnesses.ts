import { describeError, log } from '../lib/log.ts'
import { readAtMost } from '../lib/read-at-most.ts'
import { cosignaturesIn } from '../transparency/checkpoint.ts'
import type { Hash } from '../transparency/merkle.ts'
import { parseNote, parseSignatureLines, type SignatureLine } from '../transparency/note.ts'
import type { Witness } from '../transparency/policy.ts'
import { formatAddCheckpoint, parseConflict } from '../transparency/witness.ts'

const WITNESS_MS = 5_000
const MAX_BYTES = 16_384
const OK = 200
const CONFLICT = 409
const UNPROCESSABLE = 422

/** A head that witnesses are to see. */
interface Shown {
  size: number
  /** As it was signed. */
  note: string
  /** The head that they are expected to know. */
  oldSize: number
  /** The path from an older head to this one. */
  pathFrom: (oldSize: number) => Promise<Hash[]>
}

/** What a witness has said: its line; or that what it knows is no part of this log; or nothing that counts. */
type WitnessResponse = { line: string } | { rejected: string } | null

/**
 * Shows a head to all witnesses, side by side.
 *
 * @returns the lines of those that have seen it, each with its newline, and who rejects this tree: it knows a larger one, or
 * one that does not lead here. Who is silent is left out
 */
export async function askWitnesses(
  witnesses: readonly Witness[],
  shown: Shown,
): Promise<{ cosignatures: string; rejected: string[] }> {
  const responses = await Promise.all(
    witnesses.map(async (witness): Promise<WitnessResponse> => {
      try {
        return await askWitness(witness, shown, shown.oldSize)
      } catch (error) {
        log('warning', 'tlog_witness_silent', { witness: witness.name, ...describeError(error) })
        return null
      }
    }),
  )
  return {
    cosignatures: responses.map((reply) => (reply && 'line' in reply ? reply.line : '')).join(''),
    rejected: responses.flatMap((reply) => (reply && 'rejected' in reply ? [reply.rejected] : [])),
  }
}

/** The lines below a head that is shown again: those of now, and the earlier ones of witnesses that are silent now. */
export function mergeCosignatures(earlier: string, now: string): string {
  const fresh = parseSignatureLines(now) ?? []
  const isSilent = ({ name, id }: SignatureLine) =>
    !fresh.some((line) => line.name === name && line.id === id)
  const kept = (parseSignatureLines(earlier) ?? []).filter(isSilent)
  return [...fresh, ...kept].map(({ line }) => line).join('')
}

async function askWitness(
  witness: Witness,
  shown: Shown,
  oldSize: number,
  isSecond = false,
): Promise<WitnessResponse> {
  const { name, url } = witness
  if (url === null) return null
  const { status, text } = await post(
    `${url.replace(/\/$/, '')}/add-checkpoint`,
    formatAddCheckpoint(oldSize, await shown.pathFrom(oldSize), shown.note),
  )
  if (status === OK) return lineOf(witness, shown.note, text)
  if (status === CONFLICT) {
    const known = parseConflict(text)
    if (known !== null && known > shown.size) return { rejected: `${name} knows ${known} leaves` }
    if (known !== null && !isSecond) return askWitness(witness, shown, known, true)
  }
  if (status === UNPROCESSABLE) return { rejected: `${name} rejects the path from ${oldSize} leaves` }
  throw new Error(`responded with ${status}`)
}

async function lineOf(witness: Witness, note: string, reply: string): Promise<WitnessResponse> {
  const text = parseNote(note)?.text ?? ''
  const [own] = await cosignaturesIn(text, parseSignatureLines(reply) ?? [], { witnesses: [witness] })
  if (!own) throw new Error('answered no cosignature of its key')
  return { line: own.line }
}

async function post(url: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(WITNESS_MS),
  })
  const bytes = await readAtMost(response, MAX_BYTES)
  if (!bytes) throw new Error(`answered more than ${MAX_BYTES} bytes`)
  return { status: response.status, text: new TextDecoder().decode(bytes) }
}
