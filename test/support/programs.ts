import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readPage } from './docs-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const PATIENCE_MS = 60_000

/** The programs in a section of a page below docs/, in their order. */
export function programsOf(page: string, heading: string, language: string): string[] {
  const section = readPage(page)
    .split(/^##+ /m)
    .find((part) => part.startsWith(`${heading}\n`))
  const blocks = section?.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')) ?? []
  return [...blocks].map(([, program = '']) => program)
}

/**
 * A folder with files, in which Node finds the packages of this project; `await using` removes it.
 *
 * @param files texts by their names
 */
export async function folderWith(files: Record<string, string>) {
  const dir = await mkdtemp(join(tmpdir(), 'program-'))
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  for (const [name, content] of Object.entries({ 'package.json': '{"type":"module"}', ...files }))
    await writeFile(join(dir, name), content)
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}

/** Runs a program to its end; returns its output as JSON. */
export async function printedBy(
  command: string,
  args: string[],
  { dir, env }: { dir: string; env: Record<string, string> },
): Promise<unknown> {
  const options = { cwd: dir, env: { ...process.env, ...env }, timeout: PATIENCE_MS }
  const { stdout } = await promisify(execFile)(command, args, options)
  return JSON.parse(stdout)
}
