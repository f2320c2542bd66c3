import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync, transformSync } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const UI = join(ROOT, 'src/ui/')
const TO = join(ROOT, 'dist/assets/')
const VERIFIER = 'ui/verify.js'

/** The files that browsers expect at the root, and the headers that Cloudflare reads there. */
const AT_ROOT = ['_headers', 'favicon.ico', 'robots.txt']

const copied = globSync(['_headers', '*.*', 'previews/*.png'], { cwd: UI }).map((file) => {
  const name = AT_ROOT.includes(file) ? file : `ui/${file}`
  const content = readFileSync(join(UI, file))
  write(name, file.endsWith('.css') ? Buffer.from(minified(content)) : content)
  return name
})
write(VERIFIER, verifierForBrowsers())
const known = new Set([...copied, VERIFIER, ...(await writeGenerated())])
for (const name of globSync(['_*', '{docs,ui}/**/*.*'], { cwd: TO })) {
  if (!known.has(name)) rmSync(join(TO, name), { force: true }) // of an earlier checkout
}

function minified(sheet: Buffer): string {
  return transformSync(sheet, { loader: 'css', minify: true, charset: 'utf8' }).code
}

/** The package that verifies, as one module. */
function verifierForBrowsers(): Buffer {
  const entryPoints = [join(ROOT, 'packages/verify/index.ts')]
  const { outputFiles } = buildSync({
    entryPoints,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return Buffer.from(outputFiles[0]?.contents ?? [])
}

/** Generates files from the sources, if any source has changed; returns their names. */
async function writeGenerated(): Promise<string[]> {
  const target = join(TO, '../assets.json')
  const sources = hashOfSources()
  const last: { sources?: string; names?: string[] } = JSON.parse(contentOf(target)?.toString() ?? '{}')
  if (last.sources === sources && last.names?.every((name) => existsSync(join(TO, name)))) return last.names
  const { generateFiles } = await import('./document/files.ts')
  const files = await generateFiles()
  for (const [name, text] of Object.entries(files)) write(name, Buffer.from(text))
  const names = Object.keys(files)
  replace(target, JSON.stringify({ sources, names }))
  return names
}

/** Generating the files takes longer than starting a Worker, so it is repeated only if this hash changes. */
function hashOfSources(): string {
  const hash = createHash('sha256')
  const patterns = [
    'src/**/*.ts',
    'scripts/{document,site}/*.ts',
    'docs/*/*.md',
    '*.md',
    'packages/*/README.md',
    'scripts/site/*.html',
    'package-lock.json',
  ]
  for (const file of globSync(patterns, { cwd: ROOT }).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

/** Writes atomically, because several Workers may start at once; leaves unchanged files untouched. */
function write(name: string, wanted: Buffer): void {
  const target = join(TO, name)
  if (contentOf(target)?.equals(wanted)) return
  replace(target, wanted)
}

function replace(target: string, wanted: Buffer | string): void {
  mkdirSync(dirname(target), { recursive: true })
  const fresh = join(TO, '..', `${basename(target)}.${process.pid}`)
  writeFileSync(fresh, wanted)
  renameSync(fresh, target)
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}
