import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, messageOf } from '../failure.ts'
import {
  type LogMemory,
  logMemory,
  type Policy,
  parseLogState,
  parsePolicy,
  parseVerifierKey,
  type Trust,
  type VerifierKey,
} from '../registry.ts'

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

/**
 * The memory of a state file, which need not exist yet; without a file, it is empty.
 *
 * @throws Failure that names the option or file that is invalid, or whose folder does not exist
 */
export async function openState(file: string | undefined, words: TrustWords): Promise<LogMemory> {
  const trust = await readTrust(words)
  if (file === undefined) return logMemory(null, trust)
  if (!existsSync(dirname(file))) throw new Failure(`--state ${file}: there is no folder ${dirname(file)}`)
  if (!existsSync(file)) return logMemory(null, trust)
  const state = parseLogState(readText(file))
  if (state) return logMemory(state, trust)
  throw new Failure(`--state ${file}: was not written by this command; move it away to start again`)
}

/** The restores of `--accept-restore`. */
function readRestores({ acceptRestore }: TrustWords): { from: number; to: number }[] {
  if (acceptRestore === undefined) return []
  const [, from, to] = RANGE.exec(acceptRestore) ?? []
  if (to === undefined)
    throw new Failure(`--accept-restore: must be a range such as 381-386, not '${acceptRestore}'`)
  return [{ from: Number(from), to: Number(to) }]
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Failure(`--state ${file}: was not written by this command: ${messageOf(cause)}`, { cause })
  }
}

/** Writes the state atomically, unless the log does not continue what was seen. */
export function writeState(file: string, memory: LogMemory): void {
  const state = memory.state()
  if (!state) return
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}
