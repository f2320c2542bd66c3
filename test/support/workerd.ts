import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { freePort } from '../../local/port.ts'
import { type Launched, launch } from '../../local/process.ts'
import { LOG_FILE, type Worker, type WorkerOptions, writeSettings } from '../../local/worker.ts'

const ROOT = join(import.meta.dirname, '../..')
const ASSETS = join(ROOT, 'dist/assets')
const FILE = 'index.js'
const START_MS = 60_000
const STOP_MS = 5_000
const POLL_MS = 10
const PATIENCE_MS = 2_000
const LAST_WORDS = 2_000

/** A Worker's bundle in the runtime without wrangler, which is faster to start, call and kill. */
export interface BareWorker {
  url: string
  pid: number
  /** Resolves with a description when it has ended by itself. */
  lost: Promise<string>
  /** Kills it, like a crash. */
  kill(): Promise<void>
}

export type Bundle = Awaited<ReturnType<typeof bundleWorker>>

/** `wrangler dev` serves files, and runs the scheduled handler on this path; the runtime alone does neither. */
const ENTRY = `import worker from './${FILE}'
export default {
  async fetch(request, env, context) {
    const url = new URL(request.url)
    if (/^\\/(ui\\/|robots\\.txt$|favicon\\.ico$)/.test(url.pathname)) return env.ASSETS.fetch(request)
    if (url.pathname !== '/cdn-cgi/local/scheduled') return worker.fetch(request, env, context)
    try {
      await worker.scheduled({ scheduledTime: Number(url.searchParams.get('time')) }, env, context)
      return new Response('ok')
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}`

/** Replaces the binding ASSETS of production: a file by its path, or 404. */
const ASSETS_ENTRY = `const TYPES = ${JSON.stringify({
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/vnd.microsoft.icon',
  txt: 'text/plain; charset=utf-8',
})}
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    const file = await env.FILES.fetch('http://files' + pathname, { method: request.method })
    const isFolder = file.headers.get('content-type') === 'application/json' // a listing of a folder; files do not have this type
    if (!file.ok || isFolder) return new Response(null, { status: 404 })
    const headers = { 'Content-Type': TYPES[pathname.split('.').pop()] ?? 'application/octet-stream' }
    return new Response(file.body, { headers })
  },
}`

/**
 * Builds a Worker as a deployment does.
 *
 * @param dir parent of the new folder with the bundle
 * @param options `minify`: false keeps the names of functions; `root`: another checkout of the project
 */
export async function bundleWorker(dir: string, { minify = true, root = ROOT } = {}) {
  const out = mkdtempSync(join(dir, 'bundle-'))
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  await promisify(execFile)(
    process.execPath,
    [wrangler, 'deploy', 'src/index.ts', '--dry-run', ...(minify ? ['--minify'] : []), '--outdir', out],
    {
      cwd: root,
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' },
    },
  )
  await writeFile(join(out, 'entry.js'), ENTRY)
  const config = await readFile(join(root, 'wrangler.toml'), 'utf8')
  const date = /^compatibility_date = "(.+)"$/m.exec(config)?.[1] ?? ''
  const flags = /^compatibility_flags = (\[.*\])$/m.exec(config)?.[1] ?? '[]'
  const gzippedBytes = gzipSync(await readFile(join(out, FILE)), { level: 9 }).byteLength
  return { out, file: FILE, date, flags, gzippedBytes }
}

/**
 * Starts a bundle and waits until it responds.
 *
 * @param settings of the Worker
 */
export async function startBare(
  { out, file, date, flags }: Bundle,
  settings: Record<string, string>,
  options: { port?: number; logFile?: string } = {},
): Promise<BareWorker> {
  const { port = await freePort(), logFile } = options
  const url = `http://127.0.0.1:${port}`
  const bindings = Object.entries(settings).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  )
  const config = join(out, `worker-${port}.capnp`)
  const assetsFile = `assets-${port}.js` // of this start alone: another one may be reading its own just now
  await writeFile(join(out, assetsFile), ASSETS_ENTRY)
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "assets", worker = .assets),
    (name = "files", disk = (path = ${JSON.stringify(ASSETS)})),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "entry.js", esModule = embed "entry.js"), (name = "${file}", esModule = embed "${file}")],
  bindings = [${[...bindings, '(name = "ASSETS", service = "assets")'].join(', ')}],
  compatibilityDate = "${date}",
  compatibilityFlags = ${flags},
);
const assets :Workerd.Worker = (
  modules = [(name = "assets.js", esModule = embed "${assetsFile}")],
  bindings = [(name = "FILES", service = "files")],
  compatibilityDate = "${date}",
);
`,
  )
  const runtime = launch(workerdPath(), ['serve', config], {
    lastSignal: 'KILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lastWords = watchOutput(runtime, logFile)
  for (const until = Date.now() + START_MS; runtime.isAlive() && Date.now() < until; await sleep(POLL_MS)) {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
      () => null,
    )
    await response?.body?.cancel()
    if (response?.ok) {
      const { child, lost } = runtime
      return { url, pid: child.pid ?? 0, lost, kill: () => runtime.end('SIGKILL', STOP_MS) }
    }
  }
  await runtime.end('SIGKILL', STOP_MS)
  throw new Error(`the bundle does not start: workerd serve ${config}\n${await lastWords()}`)
}

/** Keeps the output in a log, if there is one; returns a function that waits for the end of the output, and gives it. */
function watchOutput({ child }: Launched, logFile?: string): () => Promise<string> {
  let last = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => {
      if (logFile) appendFileSync(logFile, piece)
      last = (last + piece).slice(-LAST_WORDS)
    })
  }
  const closed = once(child, 'close')
  return async () => closed.then(() => last)
}

/** Runs the Worker of a stack as it is deployed, without wrangler; it is bundled once per test run. */
export async function runBare({ dir, port, vars }: WorkerOptions): Promise<Worker> {
  writeSettings(dir, vars)
  const { pid, ...worker } = await startBare(await testBundle(), vars, { port, logFile: join(dir, LOG_FILE) })
  return { ...worker, url: `http://localhost:${port}`, stop: worker.kill }
}

let built: Promise<Bundle> | undefined

/** The bundle for tests: the one built for the test run (test/support/made.ts), else one built by this process. */
export function testBundle(): Promise<Bundle> {
  const { TEST_BUNDLE } = process.env
  built ??= TEST_BUNDLE ? Promise.resolve(JSON.parse(TEST_BUNDLE)) : bundleOfThisProcess()
  return built
}

/** A modifiable copy of this bundle. */
export async function copyBundle(dir: string): Promise<Bundle> {
  const bundle = await testBundle()
  const out = mkdtempSync(join(dir, 'bundle-'))
  await cp(bundle.out, out, { recursive: true })
  return { ...bundle, out }
}

function bundleOfThisProcess(): Promise<Bundle> {
  const dir = mkdtempSync(join(tmpdir(), 'registry-bundle-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  return bundleWorker(dir, { minify: false })
}

/** The path of the runtime that wrangler uses. */
function workerdPath(): string {
  const wrangler = createRequire(import.meta.url).resolve('wrangler/package.json')
  return createRequire(wrangler)('workerd').default
}
