import { readFileSync } from 'node:fs'
import {
  type Policy,
  parsePolicy,
  parseVerifierKey,
  type Trust,
  type VerifierKey,
} from '../../../verify/index.ts'
import { Failure, messageOf } from '../failure.ts'

const RANGE = /^(\d{1,15})-(\d{1,15})$/

/** What is trusted, as words of the command line. */
export interface TrustWords {
  vkey?: string
  witness?: string
  acceptRestore?: string
}

/**
 * Reads which keys of logs are trusted, and which witnesses are required; what no option names is undefined.
 *
 * @throws Failure that names the option or file
 */
export async function readTrust(words: TrustWords): Promise<Trust> {
  const policy = words.witness === undefined ? undefined : await readPolicy(words.witness)
  const logs = words.vkey === undefined ? undefined : [await readKey(words.vkey)]
  return { ...(policy && { policy }), ...(logs && { logs }), acceptedRestores: readRestores(words) }
}

async function readKey(vkey: string): Promise<VerifierKey> {
  const key = await parseVerifierKey(vkey)
  if (key?.type === 1) return key
  const hint = key
    ? ': it is the key of a witness'
    : ', which looks like registry.example/log+dd961605+Aeq6…: a name, 8 hex digits, and base64; is it complete?'
  throw new Failure(`--vkey: '${vkey}' is not the verifier key of a log${hint}`)
}

async function readPolicy(file: string): Promise<Policy> {
  try {
    return await parsePolicy(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Failure(`${file}: ${messageOf(cause)}`, { cause })
  }
}

/** The restores of `--accept-restore`. */
function readRestores({ acceptRestore }: TrustWords): { from: number; to: number }[] {
  if (acceptRestore === undefined) return []
  const [, from, to] = RANGE.exec(acceptRestore) ?? []
  if (to === undefined)
    throw new Failure(`--accept-restore: must be a range such as 381-386, not '${acceptRestore}'`)
  return [{ from: Number(from), to: Number(to) }]
}
