import type { Env } from '../env.ts'
import { readAtMost } from '../lib/read-at-most.ts'
import { fileProblem, fileUrl, type Proof, recordName, recordsProblem } from './proof.ts'
import { readTxtAnswer } from './txt.ts'

const PROBE_MS = 5_000
const FILE_MAX_BYTES = 10 * 1024
const RESOLVER_MAX_BYTES = 512 * 1024 // more than a DNS message of 64 KB with every byte escaped
const SHOWN_TYPE = 60
const USER_AGENT = 'agent-registry-ownership/1.0'

/** The result of a check; `unknown` if our own resolver failed, which says nothing about the domain. */
type ProbeResult = { outcome: 'found' } | { outcome: 'missed'; why: string } | { outcome: 'unknown' }

type Services = Pick<Env, 'DOH_URL' | 'WELL_KNOWN_BASE_URL'>

/**
 * Looks up a proof: the TXT record by DNS over HTTPS, or the file on the website. Takes at most five seconds; never
 * rejects.
 *
 * @param env DOH_URL, and WELL_KNOWN_BASE_URL on the local stack
 */
export async function probe(env: Services, proof: Proof): Promise<ProbeResult> {
  if (proof.method === 'dns') return probeRecord(env.DOH_URL, proof)
  const why = await probeFile(fileUrl(proof.domain, env.WELL_KNOWN_BASE_URL), proof)
  return why === null ? { outcome: 'found' } : { outcome: 'missed', why }
}

async function probeRecord(resolver: string, proof: Proof): Promise<ProbeResult> {
  const name = recordName(proof.domain)
  const url = new URL(resolver)
  url.searchParams.set('name', name)
  url.searchParams.set('type', 'TXT')
  const body = await resolve(url).catch(() => null)
  const answer = readTxtAnswer(body)
  if (!answer) return { outcome: 'unknown' }
  if ('error' in answer) {
    return {
      outcome: 'missed',
      why: `the DNS lookup of ${name} failed (${answer.error}); check the name servers of ${proof.domain}`,
    }
  }
  const why = recordsProblem(answer.texts, proof)
  return why === null ? { outcome: 'found' } : { outcome: 'missed', why }
}

async function resolve(url: URL): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: 'application/dns-json', 'User-Agent': USER_AGENT },
    redirect: 'manual',
    signal: AbortSignal.timeout(PROBE_MS),
  })
  if (!response.ok) {
    await response.body?.cancel().catch(() => undefined)
    return null
  }
  const bytes = await readAtMost(response, RESOLVER_MAX_BYTES)
  return bytes && JSON.parse(new TextDecoder().decode(bytes))
}

/** Why the file is not a valid proof; null if it is. Never quotes its content: the check must not serve as a proxy. */
async function probeFile(url: string, proof: Proof): Promise<string | null> {
  const shown = fileUrl(proof.domain)
  const signal = AbortSignal.timeout(PROBE_MS)
  try {
    const response = await fetch(url, {
      headers: { Accept: 'application/json', 'User-Agent': USER_AGENT },
      redirect: 'manual',
      signal,
    })
    const why = headProblem(response)
    if (why) {
      await response.body?.cancel().catch(() => undefined)
      return `${shown} ${why}`
    }
    const bytes = await readAtMost(response, FILE_MAX_BYTES)
    if (!bytes) return `${shown} is larger than ${FILE_MAX_BYTES} bytes`
    const text = decode(bytes)
    const problem = text === null ? 'is not UTF-8 text' : fileProblem(text, proof)
    return problem && `${shown} ${problem}`
  } catch {
    return signal.aborted
      ? `${shown} did not respond within ${PROBE_MS / 1000} seconds`
      : `${shown} could not be reached`
  }
}

function headProblem({ status, headers }: Response): string | null {
  if (status >= 300 && status < 400) return `returned status ${status}; redirects are not followed`
  if (status !== 200) return `returned status ${status}; it must return 200`
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json') return null
  return `must have Content-Type application/json, not ${JSON.stringify(type.slice(0, SHOWN_TYPE))}`
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}
