import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { to } = parseArgs({ options: { to: { type: 'string' } } }).values
if (!to) {
  console.error('usage: npm run -s pages:pictures -- --to folder')
  process.exit(1)
}
const folder = resolve(to)
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project',
  'own-stack',
  'test/browser/pages.test.ts',
]
const cwd = resolve(import.meta.dirname, '../..')
const child = spawn(process.execPath, vitest, {
  cwd,
  stdio: 'inherit',
  env: { ...process.env, PICTURES: folder },
})
child.on('exit', (code) => {
  const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'))
  console.log(`${pictures.length} pictures in ${folder}`)
  process.exitCode = code ?? 1
})
