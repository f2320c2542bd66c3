import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The path of wrangler; tests set WRANGLER to another program. */
const program = () => process.env.WRANGLER || join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

/**
 * Runs wrangler with the settings in a temporary file that only this user can read.
 *
 * @param argsFor returns the arguments of wrangler for the path of the file
 * @throws Error when wrangler fails; wrangler has printed the reason
 */
export async function runWithSettings(
  settings: Readonly<Record<string, string | null>>,
  argsFor: (file: string) => string[],
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'registry-settings-')) // 0700
  try {
    const file = join(dir, 'settings.json') // in JSON, no variables are expanded
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 })
    await run(argsFor(file))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [program(), ...args], { cwd: ROOT, stdio: 'inherit' })
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (status !== 0) throw new Error(`wrangler ${args[0]} failed with status ${status}`)
}
