import { describeError, log } from '../lib/log.ts'
import { readAtMost } from '../lib/read-at-most.ts'
import type { Hash } from '../transparency/merkle.ts'
import {
  isLineOf,
  parseNote,
  parseSignatureLines,
  type SignatureLine,
  verifyCosignature,
} from '../transparency/note.ts'
import type { Witness } from '../transparency/policy.ts'
import { formatAddCheckpoint, parseConflict } from '../transparency/witness.ts'

const WITNESS_MS = 5_000
const MAX_BYTES = 16_384
const OK = 200
const NOT_FOUND = 404
const CONFLICT = 409
const UNPROCESSABLE = 422

/** A head for witnesses to cosign. */
interface HeadToCosign {
  size: number
  /** The signed note. */
  note: string
  /** The size of the head that the witnesses are expected to know. */
  oldSize: number
  /** The consistency path from an older head to this one. */
  pathFrom: (oldSize: number) => Promise<Hash[]>
}

/**
 * The response of a witness: its line, empty if it does not know the log; or why it rejects this tree; null if it has no
 * URL or does not respond.
 */
type WitnessResponse = { line: string } | { rejected: string } | null

/**
 * Sends a head to all witnesses in parallel.
 *
 * @returns the lines of the witnesses that cosigned it, each with its newline; and why others rejected it: they know a
 * larger tree, or one that this tree does not continue; and how many responded
 */
export async function requestCosignatures(
  witnesses: readonly Witness[],
  head: HeadToCosign,
): Promise<{ cosignatures: string; rejected: string[]; responded: number }> {
  const responses = await Promise.all(
    witnesses.map(async (witness): Promise<WitnessResponse> => {
      try {
        return await sendHead(witness, head, head.oldSize)
      } catch (error) {
        log('warning', 'tlog_witness_silent', { witness: witness.name, ...describeError(error) })
        return null
      }
    }),
  )
  return {
    cosignatures: responses.map((reply) => (reply && 'line' in reply ? reply.line : '')).join(''),
    rejected: responses.flatMap((reply) => (reply && 'rejected' in reply ? [reply.rejected] : [])),
    responded: responses.filter((reply) => reply !== null).length,
  }
}

/** The cosignatures of a head that was sent again: the new ones, and earlier ones of witnesses that did not respond. */
export function mergeCosignatures(earlier: string, now: string): string {
  const fresh = parseSignatureLines(now) ?? []
  const isMissing = ({ name, id }: SignatureLine) =>
    !fresh.some((line) => line.name === name && line.id === id)
  const kept = (parseSignatureLines(earlier) ?? []).filter(isMissing)
  return [...fresh, ...kept].map(({ line }) => line).join('')
}

async function sendHead(
  witness: Witness,
  head: HeadToCosign,
  oldSize: number,
  isSecond = false,
): Promise<WitnessResponse> {
  const { name, url } = witness
  if (url === null) return null
  const { status, text } = await post(
    `${url.replace(/\/$/, '')}/add-checkpoint`,
    formatAddCheckpoint(oldSize, await head.pathFrom(oldSize), head.note),
  )
  if (status === OK) return lineOf(witness, head.note, text)
  if (status === NOT_FOUND) {
    log('warning', 'tlog_witness_silent', { witness: name, message: 'does not know the log' })
    return { line: '' }
  }
  if (status === CONFLICT) {
    const known = parseConflict(text)
    if (known !== null && known > head.size) return { rejected: `${name} knows ${known} leaves` }
    if (known !== null && !isSecond) return sendHead(witness, head, known, true)
  }
  if (status === UNPROCESSABLE) return { rejected: `${name} rejects the path from ${oldSize} leaves` }
  throw new Error(`responded with ${status}`)
}

async function lineOf({ key }: Witness, note: string, reply: string): Promise<WitnessResponse> {
  const text = parseNote(note)?.text ?? ''
  for (const signed of parseSignatureLines(reply) ?? [])
    if (isLineOf(signed, key) && (await verifyCosignature(text, signed, key)) !== null)
      return { line: signed.line }
  throw new Error('the response has no cosignature of its key')
}

async function post(url: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(WITNESS_MS),
  })
  const bytes = await readAtMost(response, MAX_BYTES)
  if (!bytes) throw new Error(`the response has more than ${MAX_BYTES} bytes`)
  return { status: response.status, text: new TextDecoder().decode(bytes) }
}
