import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { createTestHarness } from 'wrangler'
import type { AgentVerdict } from '../../packages/verify/index.ts'
import { findChromium, openPage, startChromium } from './chromium.ts'

const PACKAGE = join(import.meta.dirname, '../../packages/verify/index.ts')
const SETTINGS = 'name = "verifier"\nmain = "verifier.js"\ncompatibility_date = "2026-10-01"\n'

/** The digit to change: the n-th, from 0, in the response whose path contains `part`. */
export interface Tampering {
  part: string
  digit: number
  /** Only the first lines of the response are considered. */
  lines?: number
}

/** Verifies an agent of a registry, in some runtime. */
export type GetVerdict = (baseUrl: string, reg: string, tampering?: Tampering) => Promise<AgentVerdict>

// workerd strips CF-Connecting-IP: tampered verdicts share stored responses, to stay below the rate limit.
const SOURCE = `
  import { verifyAgent } from ${JSON.stringify(PACKAGE)}
  const kept = new Map()
  const random = () => Math.floor(Math.random() * 255)
  const get = async (url, init) => {
    const headers = { 'CF-Connecting-IP': \`10.\${random()}.\${random()}.7\` }
    const response = await fetch(url, { ...init, headers })
    const type = response.headers.get('Content-Type') ?? ''
    return { bytes: new Uint8Array(await response.arrayBuffer()), status: response.status, type }
  }
  const changed = (bytes, { digit, lines }) => {
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10)
    const digits = [...bytes.keys()].filter((at) => bytes[at] >= 48 && bytes[at] <= 57 && !(at > ends[lines - 1]))
    const at = digits[digit % digits.length]
    return bytes.map((byte, n) => (n !== at ? byte : byte === 57 ? 48 : byte + 1))
  }
  globalThis.getVerdict = (baseUrl, reg, tampering) => verifyAgent(baseUrl, reg, {
    fetch: async (url, init) => {
      const found = (tampering && kept.get(url)) ?? (await get(url, init))
      const { bytes, status, type } = found
      if (tampering && status === 200) kept.set(url, found)
      const isChanged = tampering && status === 200 && url.slice(baseUrl.length).includes(tampering.part)
      return new Response(isChanged ? changed(bytes, tampering) : bytes, { status, headers: { 'Content-Type': type } })
    },
  })`

/** The package and what tampers with its responses, as one script: it leaves \`getVerdict\` behind. */
async function bundle(more = ''): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE + more, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: more === '' ? 'iife' : 'esm',
    target: 'es2022',
  })
  return outputFiles[0]?.text ?? ''
}

/** In this process, Node. */
export async function verdictInNode(): Promise<GetVerdict> {
  new Function(await bundle())()
  return Reflect.get(globalThis, 'getVerdict') as GetVerdict
}

/** In the runtime of Workers. */
export async function verdictInWorkerd(): Promise<{ getVerdict: GetVerdict; stop: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'verifier-'))
  const worker = `
    export default {
      async fetch(request) {
        return Response.json(await globalThis.getVerdict(...(await request.json())))
      },
    }`
  await writeFile(join(root, 'verifier.js'), await bundle(worker))
  await writeFile(join(root, 'wrangler.toml'), SETTINGS)
  const runtime = createTestHarness({ root, workers: [{ configPath: './wrangler.toml' }] })
  await runtime.listen()
  return {
    getVerdict: async (...requested) => {
      const response = await runtime.fetch('/', { method: 'POST', body: JSON.stringify(requested) })
      return (await response.json()) as AgentVerdict
    },
    stop: async () => {
      await runtime.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** In a browser, on a page of the registry; null without a browser. */
export async function verdictInBrowser(
  baseUrl: string,
): Promise<{ getVerdict: GetVerdict; stop: () => Promise<void> } | null> {
  if (!findChromium()) return null
  const browser = await startChromium()
  const { page } = await openPage(browser, undefined, { bypassCSP: true })
  await page.goto(`${baseUrl}/health`)
  await page.evaluate(await bundle())
  return {
    getVerdict: (...requested) =>
      page.evaluate(
        (words) => Reflect.get(globalThis, 'getVerdict')(...words),
        requested,
      ) as Promise<AgentVerdict>,
    stop: () => browser.close(),
  }
}
