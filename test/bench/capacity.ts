import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { fillLived } from './capacity/fill.ts'
import { breaksTable, rowsTable, statementsTable, type World } from './capacity/page.ts'
import { sizesOf } from './capacity/sizes.ts'
import { measureStatements } from './capacity/statements.ts'
import { progress, say, storeReport, withServers } from './requests/servers.ts'

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '5000' },
    page: { type: 'string', default: 'docs/operate/performance.md' },
    out: { type: 'string', default: '.local/capacity.json' },
  },
})
const AGENTS = Number(flags.agents)

await withServers(async ({ postgresUrl, postgres, open, settings }) => {
  const databaseUrl = await migrateDatabase(postgresUrl, 'bench')
  const client = await open(postgresUrl)
  const lived = await fillLived(client, postgresUrl, settings(databaseUrl), AGENTS, progress)
  const sizes = await sizesOf(client)
  const statements = await measureStatements(databaseUrl, AGENTS)
  const world: World = {
    at: new Date().toISOString().slice(0, 10),
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB; ${postgres}`,
    agents: AGENTS,
    sizes,
    statements,
    ...lived,
  }
  storeReport(flags.out, world)
  const tables = { rows: rowsTable(world), statements: statementsTable(world), breaks: breaksTable(world) }
  let page = readFileSync(flags.page, 'utf8')
  for (const [name, table] of Object.entries(tables)) {
    console.log(`\n${table}`)
    const place = new RegExp(`(<!-- capacity-${name}\\b[^>]*-->\\n)[\\s\\S]*?(<!-- /capacity-${name} -->)`)
    if (!place.test(page)) throw new Error(`${flags.page} has no place for the table '${name}'`)
    page = page.replace(place, (_, open: string, close: string) => `${open}${table}\n${close}`)
  }
  writeFileSync(flags.page, page)
  say(`written to ${flags.page}`)
})
