import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'

const ROOT = join(import.meta.dirname, '../..')
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
const MAX_BYTES = 260 * 1024
/** Modules that wrangler.toml leaves out, with the packages that import them. */
const LEFT_OUT = {
  '@upstash/core-analytics': ['@upstash/ratelimit'],
  neverthrow: ['@upstash/qstash'],
  '../core/json-schema-processors.js': ['zod'],
  '../core/to-json-schema.js': ['zod'],
  './columns/all.js': ['drizzle-orm'],
  './query-builders/query.js': ['drizzle-orm'],
  './query-builders/refresh-materialized-view.js': ['drizzle-orm'],
  '../relations.js': ['drizzle-orm'],
}
const TIMEOUT_MS = 300_000

const DRIVER = '@neondatabase/serverless'
const REDIS = '@upstash/redis/cloudflare'
const PACKAGE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/
const { alias: aliases = {} } = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })

type Inputs = Record<string, { imports: { path: string; original?: string }[] }>

/** The packages that import a file, by the specifier that they use. */
function importersOf(inputs: Inputs, path: string): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [from, { imports }] of Object.entries(inputs)) {
    for (const { original = '' } of imports.filter((one) => one.path === path)) {
      found[original] = [...new Set([...(found[original] ?? []), PACKAGE.exec(from)?.[1] ?? from])]
    }
  }
  return found
}

it('the Worker is smaller than 260 KiB, minified and gzipped', { timeout: TIMEOUT_MS }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'registry-bundle-'))
  try {
    const deploy = ['deploy', '--dry-run', '--minify', '--metafile', '--outdir', dir]
    const env = {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
      NO_COLOR: '1',
    }
    await promisify(execFile)(process.execPath, [WRANGLER, ...deploy], { cwd: ROOT, env })
    const bundle = await readFile(join(dir, 'index.js'))
    expect(gzipSync(bundle, { level: 9 }).byteLength).toBeLessThan(MAX_BYTES)
    const { inputs } = JSON.parse(await readFile(join(dir, 'bundle-meta.json'), 'utf8'))
    expect(importersOf(inputs, 'src/left-out.cjs')).toEqual(LEFT_OUT)
    expect(Object.keys(aliases).sort()).toEqual([DRIVER, REDIS, ...Object.keys(LEFT_OUT)].sort())
    expect(Object.keys(importersOf(inputs, 'dist/neon.js'))).toEqual([DRIVER])
    expect(Object.keys(importersOf(inputs, 'dist/redis.js'))).toEqual([REDIS])
    // Only the default locale of zod is bundled.
    expect(bundle.toString()).toContain('Invalid input: expected')
    expect(bundle.toString()).not.toContain('Ungültige Eingabe')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
