import { parseArgs } from 'node:util'
import { type Finding, rebuildTrust } from './recompute/rebuild.ts'
import { runProgram } from './support/program.ts'
import { readStackFile } from './support/stack-file.ts'

/** A finding as text, with one line per difference. */
export function describeFinding({ agent_id, reg, differences, repaired }: Finding): string {
  return differences
    .map(({ row, field, stored, rebuilt }) => {
      const what = [reg ?? agent_id, row, field].filter((part) => part !== null).join(' ')
      return `${what}: stored ${stored ?? 'nothing'}, computed from the log ${rebuilt ?? 'nothing'}${repaired ? '; repaired' : ''}`
    })
    .join('\n')
}

if (import.meta.main) {
  await runProgram(async () => {
    const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values
    const began = performance.now()
    const databaseUrl = process.env.DATABASE_URL || readStackFile().database_url
    const { agents, events, findings } = await rebuildTrust(databaseUrl, { repair: !check })
    for (const finding of findings) console.log(describeFinding(finding))
    const seconds = (performance.now() - began) / 1000
    const left = findings.filter(({ repaired }) => !repaired).length
    console.log(
      `${events} events of ${agents} agents in ${seconds.toFixed(1)} s, ${Math.round(events / seconds)} per second: ` +
        (findings.length === 0
          ? 'no differences'
          : `${findings.length} agents differed, ${left} not repaired`),
    )
    if (left > 0) process.exitCode = 1
  })
}
