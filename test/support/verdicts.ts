import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { createTestHarness } from 'wrangler'
import type { AgentVerdict } from '../../packages/verify/index.ts'
import { findChromium, openPage, startChromium } from './chromium.ts'

const PACKAGE = join(import.meta.dirname, '../../packages/verify/index.ts')
const SETTINGS = 'name = "verifier"\nmain = "verifier.js"\ncompatibility_date = "2026-10-01"\n'

/** Which digit of which response is another one: the n-th, counted from 0, of those whose path contains `part`. */
export interface Tampering {
  part: string
  digit: number
}

/** Verifies an agent of a registry, in some runtime. */
export type GetVerdict = (baseUrl: string, reg: string, tampering?: Tampering) => Promise<AgentVerdict>

const SOURCE = `
  import { verifyAgent } from ${JSON.stringify(PACKAGE)}
  const changed = (bytes, n) => {
    const digits = [...bytes.keys()].filter((at) => bytes[at] >= 48 && bytes[at] <= 57)
    const at = digits[n % digits.length]
    if (at !== undefined) bytes[at] = bytes[at] === 57 ? 48 : bytes[at] + 1
    return bytes
  }
  globalThis.getVerdict = (baseUrl, reg, tampering) => verifyAgent(baseUrl, reg, {
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, headers: { 'CF-Connecting-IP': \`10.\${Math.floor(Math.random() * 255)}.\${Math.floor(Math.random() * 255)}.7\` } })
      if (!tampering || !url.slice(baseUrl.length).includes(tampering.part) || !response.ok) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      return new Response(changed(bytes, tampering.digit), { status: response.status, headers: { 'Content-Type': response.headers.get('Content-Type') ?? '' } })
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

/** Here, in Node. */
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
    getVerdict: async (...asked) => {
      const response = await runtime.fetch('/', { method: 'POST', body: JSON.stringify(asked) })
      return (await response.json()) as AgentVerdict
    },
    stop: async () => {
      await runtime.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** In a browser, on a page of the registry; null where there is none. */
export async function verdictInBrowser(
  baseUrl: string,
): Promise<{ getVerdict: GetVerdict; stop: () => Promise<void> } | null> {
  if (!findChromium()) return null
  const browser = await startChromium()
  const { page } = await openPage(browser, undefined, { bypassCSP: true })
  await page.goto(`${baseUrl}/health`)
  await page.evaluate(await bundle())
  return {
    getVerdict: (...asked) =>
      page.evaluate(
        (words) => Reflect.get(globalThis, 'getVerdict')(...words),
        asked,
      ) as Promise<AgentVerdict>,
    stop: () => browser.close(),
  }
}
