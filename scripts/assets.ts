import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FROM = join(ROOT, 'src/docs/')
const VIEWER = join(ROOT, 'node_modules/swagger-ui-dist/')
const TO = join(ROOT, 'dist/assets/')

/** Each static asset and where it comes from; wrangler runs this before it serves or uploads them. */
const ASSETS = {
  _headers: `${FROM}_headers`,
  _redirects: `${FROM}_redirects`,
  'docs.html': `${FROM}docs.html`,
  'docs/docs.css': `${FROM}docs.css`,
  'docs/docs.js': `${FROM}docs.js`,
  'docs/swagger-ui.css': `${VIEWER}swagger-ui.css`,
  'docs/swagger-ui-bundle.js': `${VIEWER}swagger-ui-bundle.js`,
  'docs/swagger-ui-bundle.js.LICENSE.txt': `${VIEWER}swagger-ui-bundle.js.LICENSE.txt`,
}

for (const [name, source] of Object.entries(ASSETS)) {
  const target = join(TO, name)
  const wanted = readFileSync(source)
  if (contentOf(target)?.equals(wanted)) continue
  mkdirSync(dirname(target), { recursive: true })
  const fresh = join(TO, '..', `${basename(name)}.${process.pid}`)
  writeFileSync(fresh, wanted)
  renameSync(fresh, target) // several Workers may be starting at once: none may see half a file
}

function contentOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}
