import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The program of Cloudflare that deploys; WRANGLER names another one, as tests do. */
const program = () => process.env.WRANGLER || join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

/**
 * Runs wrangler with settings in a file that only this user can read, and that is gone afterwards.
 *
 * @param wordsFor the words of the command, given the path of the file
 * @throws Error when wrangler ends with an error, which it has printed
 */
export async function runWithSettings(
  settings: Readonly<Record<string, string>>,
  wordsFor: (file: string) => string[],
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'registry-settings-')) // 0700
  try {
    const file = join(dir, 'settings.json') // in JSON nothing is expanded
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 })
    await run(wordsFor(file))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function run(words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [program(), ...words], { cwd: ROOT, stdio: 'inherit' })
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (status !== 0) throw new Error(`wrangler ${words[0]} failed with status ${status}`)
}
