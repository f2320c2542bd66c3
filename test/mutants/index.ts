import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Stack } from '../../local/stack.ts'
import { MUTANTS } from './list.ts'
import type { Mutant } from './mutant.ts'

const ROOT = join(import.meta.dirname, '../..')
const PORT = 18_787
const REPORT = 'report.json'
const only = process.argv.slice(2)

/**
 * Applies one mutation at a time to a copy of the working tree, and requires that the named test fails. Arguments
 * select mutants by a part of their file's path. The exit status is 1 if a mutant survives, its source text is not
 * found, or its test fails without it.
 */
async function main(): Promise<void> {
  const chosen = MUTANTS.filter(({ file }) => only.length === 0 || only.some((part) => file.includes(part)))
  const copy = copyTree()
  const survivors: string[] = []
  const green = new Map<string, Promise<boolean>>()
  let stack: Stack | undefined
  try {
    for (const mutant of chosen.toSorted((a, b) => Number(needsStack(a)) - Number(needsStack(b)))) {
      if (needsStack(mutant)) stack ??= await startIn(copy)
      const tests = `${mutant.test} ${mutant.only ?? ''}`
      green.set(tests, green.get(tests) ?? passes(copy, mutant))
      const outcome = (await green.get(tests)) ? await judge(copy, mutant, stack) : 'FAILS BEFORE'
      console.log(`${outcome.padEnd(12)} ${mutant.file}: ${mutant.what}`)
      if (outcome !== 'killed') survivors.push(mutant.what)
    }
  } finally {
    await stack?.stop()
    rmSync(copy, { recursive: true, force: true })
  }
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutants killed`)
  if (survivors.length > 0) process.exitCode = 1
}

const isOfDatabase = ({ file }: Mutant) => file.startsWith('drizzle/functions/')

const needsStack = ({ test }: Mutant) => !test.startsWith('unit/')

/** What git knows or would know of the working tree, with the same packages. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'registry-mutants-'))
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT })
  for (const file of listed.toString().split('\0')) {
    if (file && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

async function startIn(copy: string): Promise<Stack> {
  const { startStack }: typeof import('../../local/stack.ts') = await import(join(copy, 'local/stack.ts'))
  return startStack({ dir: join(copy, '.local'), port: PORT, say: () => undefined })
}

async function judge(copy: string, mutant: Mutant, stack: Stack | undefined): Promise<string> {
  const path = join(copy, mutant.file)
  const source = readFileSync(path, 'utf8')
  if (source.split(mutant.find).length !== 2) return 'NOT FOUND'
  writeFileSync(
    path,
    source.replace(mutant.find, () => mutant.put),
  )
  try {
    if (isOfDatabase(mutant)) await migrate(copy)
    else if (needsStack(mutant)) {
      await stack?.worker.stop()
      await stack?.restartWorker()
    }
    return (await passes(copy, mutant)) ? 'SURVIVED' : 'killed'
  } finally {
    writeFileSync(path, source)
    if (isOfDatabase(mutant)) await migrate(copy)
  }
}

async function migrate(copy: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/migrate.ts'], { cwd: copy })
}

/** Whether the tests pass; a run without any test is neither. */
async function passes(copy: string, { test, only: name }: Mutant): Promise<boolean> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const args = [
    vitest,
    'run',
    `test/${test}`,
    '--reporter=json',
    `--outputFile=${REPORT}`,
    ...(name ? ['-t', name] : []),
  ]
  const env = { ...process.env, STACK: '.local' }
  rmSync(join(copy, REPORT), { force: true }) // a run that ends before its report must not be judged by the one before
  await promisify(execFile)(process.execPath, args, { cwd: copy, env, maxBuffer: 1e8 }).catch(() => undefined)
  const report = JSON.parse(readFileSync(join(copy, REPORT), 'utf8'))
  if (report.numPassedTests + report.numFailedTests === 0)
    throw new Error(`no test ran: ${test} ${name ?? ''}`)
  return report.success
}

await main()
