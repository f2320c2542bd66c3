import { chmodSync, mkdtempSync } from 'node:fs'
import { copyFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { makeTemplate } from './template.ts'
import { bundleWorker } from './workerd.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMPILED = join(ROOT, 'node_modules/.cache/compiled')

/**
 * Creates the Worker's bundle, a migrated database, and the command line once for a test run, because each takes
 * seconds. Test processes find them in TEST_BUNDLE, TEST_DATABASE, and TEST_CLI.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_BUNDLE || process.env.STACK) return
  const dir = mkdtempSync(join(tmpdir(), 'registry-made-'))
  chmodSync(dir, 0o711) // if this process is root, the database runs as another user
  process.env.NODE_COMPILE_CACHE ??= COMPILED // tests start commands some 300 times
  const [bundle, database, cli] = await Promise.all([
    bundleWorker(dir, { minify: false }),
    makeTemplate(join(dir, 'postgres')),
    installCli(join(dir, 'cli')),
  ])
  process.env.TEST_BUNDLE = JSON.stringify(bundle)
  process.env.TEST_CLI = cli
  if (database) process.env.TEST_DATABASE = database
  return async () => {
    delete process.env.TEST_BUNDLE
    delete process.env.TEST_DATABASE
    delete process.env.TEST_CLI
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * Installs the command line as one file, which starts three times as fast.
 *
 * @returns the file to start with Node
 */
export async function installCli(dir: string): Promise<string> {
  const main = join(dir, 'dist/main.js')
  await build({
    entryPoints: [join(ROOT, 'packages/cli/src/main.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  await copyFile(join(ROOT, 'packages/cli/package.json'), join(dir, 'package.json'))
  return main
}
