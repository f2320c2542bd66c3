import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { launch } from '../../../local/process.ts'

const ROOT = join(import.meta.dirname, '../../..')
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
const COMPATIBILITY_DATE = /compatibility_date = "([\d-]+)"/
const START_MS = 10_000
const STOP_MS = 2_000

export interface Served {
  url: string
  /** Bytes of the bundle, minified and gzipped. */
  gzippedBytes: number
  stop(): Promise<void>
}

/**
 * Builds a Worker as it is deployed, and runs it in the bare runtime: no watcher, no proxy in front.
 *
 * @param entry its entry file, from the project's root; null for the service itself
 * @param dir where the bundle and the runtime's settings go
 * @param vars its settings
 * @param inspectorPort where a profiler may attach; then the names of functions are kept
 */
export async function serveWorker(
  entry: string | null,
  options: { dir: string; port: number; vars: Record<string, string>; inspectorPort?: number },
): Promise<Served> {
  const { dir, port, vars, inspectorPort } = options
  const quiet = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', NO_COLOR: '1' }
  execFileSync(
    process.execPath,
    [
      WRANGLER,
      'deploy',
      ...(entry ? [entry] : []),
      '--dry-run',
      ...(inspectorPort ? [] : ['--minify']),
      '--outdir',
      dir,
    ],
    { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...quiet } },
  )
  const file = entry ? `${entry.split('/').at(-1)?.replace(/\.ts$/, '')}.js` : 'index.js'
  writeFileSync(join(dir, 'config.capnp'), config(file, port, vars))
  const inspector = inspectorPort ? [`--inspector-addr=127.0.0.1:${inspectorPort}`] : []
  const runtime = launch(workerdPath(), ['serve', join(dir, 'config.capnp'), ...inspector], {
    stdio: ['ignore', 'ignore', 'inherit'],
    lastSignal: 'KILL',
  })
  const url = `http://127.0.0.1:${port}`
  for (const until = Date.now() + START_MS; ; await sleep(50)) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) break
    if (!runtime.isAlive() || Date.now() > until) throw new Error(`${file} does not answer at ${url}`)
  }
  return {
    url,
    gzippedBytes: gzipSync(readFileSync(join(dir, file)), { level: 9 }).byteLength,
    stop: () => runtime.end('SIGKILL', STOP_MS),
  }
}

function config(file: string, port: number, vars: Record<string, string>): string {
  const date = COMPATIBILITY_DATE.exec(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'))?.[1]
  const bindings = Object.entries(vars).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "main", esModule = embed ${JSON.stringify(file)})],
      compatibilityDate = "${date}",
      bindings = [${bindings.join(', ')}],
      globalOutbound = "everywhere",
    )),
    (name = "everywhere", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`
}

function workerdPath(): string {
  const require = createRequire(join(ROOT, 'node_modules/wrangler/package.json'))
  return (require('workerd') as { default: string }).default
}
