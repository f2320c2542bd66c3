import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ASSETS, BASE_URL_PLACEHOLDER } from '../src/api/assets.ts'
import { describeEventTypes } from '../src/webhooks/manage/event-types.ts'
import { buildDocument } from './document/build.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FROM = join(ROOT, 'src/docs/')
const VIEWER = join(ROOT, 'node_modules/swagger-ui-dist/')
const TO = join(ROOT, 'dist/assets/')

/** Each static file that is there already, and where it comes from. */
const COPIED = {
  _headers: `${FROM}_headers`,
  _redirects: `${FROM}_redirects`,
  'docs.html': `${FROM}docs.html`,
  'docs/docs.css': `${FROM}docs.css`,
  'docs/docs.js': `${FROM}docs.js`,
  'docs/swagger-ui.css': `${VIEWER}swagger-ui.css`,
  'docs/swagger-ui-bundle.js': `${VIEWER}swagger-ui-bundle.js`,
  'docs/swagger-ui-bundle.js.LICENSE.txt': `${VIEWER}swagger-ui-bundle.js.LICENSE.txt`,
}

/** What the API serves as it is, made of the routes of this checkout. */
const MADE = {
  [ASSETS.openapi]: buildDocument(BASE_URL_PLACEHOLDER),
  [ASSETS.eventTypes]: { data: describeEventTypes() },
}

for (const [name, source] of Object.entries(COPIED)) write(name, readFileSync(source))
for (const [name, value] of Object.entries(MADE)) write(name, Buffer.from(JSON.stringify(value)))

/** Several Workers may be starting at once: none may see half a file, and what has not changed stays untouched. */
function write(name: string, wanted: Buffer): void {
  const target = join(TO, name)
  if (contentOf(target)?.equals(wanted)) return
  mkdirSync(dirname(target), { recursive: true })
  const fresh = join(TO, '..', `${basename(name)}.${process.pid}`)
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
