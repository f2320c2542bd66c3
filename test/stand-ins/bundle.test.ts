import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
const MAX_BYTES = 252 * 1024
const TIMEOUT_MS = 300_000

it('is under 252 KiB, minified and gzipped', { timeout: TIMEOUT_MS }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'registry-bundle-'))
  try {
    const deploy = ['deploy', '--dry-run', '--minify', '--outdir', dir]
    const env = {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
      NO_COLOR: '1',
    }
    await promisify(execFile)(process.execPath, [WRANGLER, ...deploy], { cwd: ROOT, env })
    const bundle = await readFile(join(dir, 'index.js'))
    expect(gzipSync(bundle, { level: 9 }).byteLength).toBeLessThan(MAX_BYTES)
    // Of zod's languages only the default one is in it, of which one message tells.
    expect(bundle.toString()).toContain('Invalid input: expected')
    expect(bundle.toString()).not.toContain('Ungültige Eingabe')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
