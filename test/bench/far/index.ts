import { syncTable } from '../../support/docs-table.ts'
import { tirelessKey } from '../../support/fill.ts'
import { measuredBy } from '../machine.ts'
import { progress, storeReport } from '../requests/servers.ts'
import { withStack } from '../stack.ts'
import { type Way, waysOf } from './ways.ts'
import { EDGE_MS, REGION_MS, startWorld, type World } from './world.ts'

const ROUND_TRIPS_MS = [20, 80, 150, 250] as const
const WARM_UP = 3
const CALLS = 15
const PAGE = 'operate/performance.md'

interface Line {
  name: string
  /** Medians in ms, by the round trip. */
  ms: number[]
}

/** Measures how long it takes to verify an agent from a distance; UPDATE_DOCS=true writes it into docs/operate/performance.md. */
export async function benchFar(out: string): Promise<void> {
  await withStack(async ({ stack, h, atEnd }) => {
    const owner = await h.newOperator()
    const [agent, key] = await Promise.all([h.newAgent(owner), tirelessKey(h, owner, ['read'])])
    const world = await startWorld(stack)
    atEnd(world.stop)
    const base = stack.base_url
    const ways = await waysOf(world, { reg: agent.reg, key, issuer: base, base })
    const lines: Line[] = ways.map(({ name }) => ({ name, ms: [] }))
    for (const roundTripMs of ROUND_TRIPS_MS) {
      for (const [n, way] of ways.entries()) {
        progress(`${roundTripMs} ms: ${way.name}`)
        lines[n]?.ms.push(await medianOf(world, way, roundTripMs))
      }
    }
    tell(lines, out)
  })
}

async function medianOf(world: World, { verify, opens }: Way, roundTripMs: number): Promise<number> {
  world.move(roundTripMs)
  for (let n = 0; n < WARM_UP; n++) await verify()
  world.move(roundTripMs, opens)
  const times: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const began = performance.now()
    await verify()
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(CALLS / 2)] ?? Number.NaN
}

function tell(lines: readonly Line[], out: string): void {
  const head = ['ms to verify an agent', ...ROUND_TRIPS_MS.map((ms) => `round trip ${ms} ms`)]
  const rows = lines.map(({ name, ms }) => [name, ...ms.map((one) => one.toFixed(one < 10 ? 1 : 0))])
  const table = [head, head.map((_, n) => (n === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
  const by = measuredBy(
    'npm run bench -- --far',
    `round trip ${EDGE_MS} ms to the edge, ${REGION_MS} ms within the region`,
  )
  console.log(`\n\n${by}\n\n${table}`)
  syncTable(PAGE, 'far', `${by}\n\n${table}`)
  storeReport(out, { at: new Date().toISOString(), round_trips_ms: ROUND_TRIPS_MS, lines })
}
