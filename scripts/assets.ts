import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HELP_PATH } from '../src/errors.ts'
import { browserModules } from './assets/modules.ts'
import { errorPage } from './document/error-page.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FROM = join(ROOT, 'src/docs/')
const UI = join(ROOT, 'src/ui/')
const VIEWER = join(ROOT, 'node_modules/swagger-ui-dist/')
const TO = join(ROOT, 'dist/assets/')
const DRIVER = 'node_modules/@neondatabase/serverless/index.mjs'
const ERROR_PAGE = `${HELP_PATH.slice(1)}.html`

/** Each static file that is there already, and where it comes from. */
const COPIED = {
  _headers: `${FROM}_headers`,
  'docs.html': `${FROM}docs.html`,
  'docs/docs.css': `${FROM}docs.css`,
  'docs/docs.js': `${FROM}docs.js`,
  'docs/page.css': `${FROM}page.css`,
  'docs/swagger-ui.css': `${VIEWER}swagger-ui.css`,
  'docs/swagger-ui-bundle.js': `${VIEWER}swagger-ui-bundle.js`,
  'docs/swagger-ui-bundle.js.LICENSE.txt': `${VIEWER}swagger-ui-bundle.js.LICENSE.txt`,
  'transparency.html': `${FROM}transparency.html`,
  'transparency/transparency.css': `${FROM}transparency.css`,
  'ui/app.css': `${UI}app.css`,
  'ui/app.js': `${UI}app.js`,
  'ui/favicon.svg': `${UI}favicon.svg`,
}

for (const [name, source] of Object.entries(COPIED)) write(name, readFileSync(source))
write(ERROR_PAGE, Buffer.from(errorPage()))
const modules = browserModules(ROOT, 'scripts/log-page/page.js')
for (const [name, script] of modules) write(`transparency/${name}`, Buffer.from(script))
for (const name of globSync(['_*', '{docs,transparency,ui}/**/*.*'], { cwd: TO })) {
  const isModule = name.startsWith('transparency/') && modules.has(name.slice('transparency/'.length))
  if (!(name in COPIED) && name !== ERROR_PAGE && !isModule) rmSync(join(TO, name), { force: true }) // of an earlier checkout
}
const made = join(TO, '../assets.sha256')
const sources = hashOfSources()
if (contentOf(made)?.toString() !== sources || !existsSync(join(TO, 'api'))) {
  const { apiFiles } = await import('./document/files.ts')
  for (const [name, value] of Object.entries(apiFiles())) write(name, Buffer.from(JSON.stringify(value)))
  writeFileSync(made, sources)
}
await writeDriver()

/** What wrangler.toml names in place of Neon's package. */
async function writeDriver(): Promise<void> {
  const inputs = [DRIVER, 'scripts/assets/driver.ts'].map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const head = `// ${createHash('sha256').update(inputs.join('\0')).digest('hex')}\n`
  const target = join(TO, '../neon.js')
  if (contentOf(target)?.toString().startsWith(head)) return
  const { httpDriver } = await import('./assets/driver.ts')
  replace(target, head + httpDriver(inputs[0] ?? ''))
}

/** Of all that the API's files are made of: to make them anew takes longer than to start a Worker. */
function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const file of globSync(['src/**/*.ts', 'scripts/document/*.ts', 'package-lock.json'], {
    cwd: ROOT,
  }).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

/** Several Workers may be starting at once: none may see half a file, and what has not changed stays untouched. */
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
