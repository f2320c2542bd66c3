import type pg from 'pg'
import { isVoid } from '../../packages/verify/entries.ts'
import { EVENTS } from '../../packages/verify/numbers.ts'
import { readWholeLog } from '../../packages/verify/whole-log.ts'
import { REG_PATTERN } from '../../src/lib/agent-number.ts'
import { sameBytes } from '../../src/transparency/bytes.ts'
import { hashLeaf } from '../../src/transparency/merkle.ts'
import { parseBundle, type ReadTiles, rootFromTiles } from '../../src/transparency/tiles.ts'

/** The events of an agent, and its leaves in the log. */
interface Logged {
  reg: string
  events: number
  logged: number
}

/**
 * Compares the transparency log with the stored data: tiles with leaves, and leaves with events, without duplicates.
 *
 * @returns the problems, as text, and the number of leaves
 */
export async function checkLog(
  client: pg.ClientBase | pg.Pool,
): Promise<{ problems: string[]; size: number }> {
  const problems: string[] = []
  const rowsOf = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows
  const [state] = await rowsOf<{ size: string }>('select size from tlog_state')
  const size = Number(state?.size)
  const bundles = await rowsOf<{ entries: Buffer }>('select entries from tlog_bundles order by n')
  const leaves = bundles.flatMap(({ entries }) => parseBundle(Uint8Array.from(entries)) ?? [])
  if (leaves.length !== size) problems.push(`${size} leaves, but ${leaves.length} in the bundles`)

  const tiles = await rowsOf<{ place: string; hashes: Buffer }>(
    `select level || '/' || n as place, hashes from tlog_tiles order by level, n`,
  )
  const bytesOf = new Map(tiles.map(({ place, hashes }) => [place, Uint8Array.from(hashes)]))
  const readTiles: ReadTiles = async (wanted) =>
    wanted.map(
      ({ level, n, width }) => bytesOf.get(`${level}/${n}`)?.slice(0, 32 * width) ?? new Uint8Array(),
    )
  const heads = await rowsOf<{ size: string; root: Buffer }>('select size, root from tlog_heads')
  for (const head of heads) {
    if (!sameBytes(await rootFromTiles(Number(head.size), readTiles), head.root))
      problems.push(`the head of ${head.size} has another root`)
  }
  const level0 = Buffer.concat(tiles.flatMap(({ place, hashes }) => (place.startsWith('0/') ? [hashes] : [])))
  for (const [at, leaf] of leaves.entries()) {
    if (!sameBytes(level0.subarray(32 * at, 32 * at + 32), await hashLeaf(leaf)))
      problems.push(`tile of leaf ${at}`)
  }

  const root = await rootFromTiles(size, readTiles)
  const checkpoint = { origin: '', size, root, text: '', witnesses: [] }
  const readBundle = async (n: number) => leaves.slice(256 * n, 256 * n + 256)
  const found = await readWholeLog({ checkpoint, readBundle })
  const isKnown = (problem: string) => {
    const [, at] = /^leaf (\d+) is not a valid leaf$/.exec(problem) ?? []
    return problem.startsWith('the log names itself') || (at !== undefined && isPlanted(leaves[Number(at)]))
  }
  problems.push(...found.problems.filter((problem) => !isKnown(problem)), ...found.notes)
  const loggedOf = (reg: string) =>
    (found.agents.get(reg)?.numbers ?? []).filter(
      ({ series, index }) => series === EVENTS && !isVoid(index, found.restores),
    ).length
  const agents = await rowsOf<Logged>(
    'select reg, events::float8, logged_events::float8 as logged from agent_stats s join agents a on a.id = s.agent_id',
  )
  for (const { reg, logged } of agents) {
    if (REG_PATTERN.test(reg) && loggedOf(reg) !== logged)
      problems.push(`${reg}: ${loggedOf(reg)} leaves, ${logged} logged`)
  }
  const [lost] = await rowsOf<{ n: number }>(
    'select count(*)::integer as n from agent_stats where events > logged_events and unlogged_since is null',
  )
  if (lost?.n) problems.push(`${lost.n} agents with events that wait without a mark`)
  const [other] = await rowsOf<{ found: string[] | null }>(
    `select to_json(tlog_differing(array(select generate_series(0, ${size} - 1)))) as found`,
  )
  if (other?.found?.length) problems.push(`other events than in the leaves ${other.found.join(', ')}`)
  return { problems, size }
}

/** Whether a leaf is of an agent that a test inserted with an invalid number, which verifiers do not accept. */
function isPlanted(leaf: Uint8Array | undefined): boolean {
  const reg = /"reg":"([^"]+)"/.exec(Buffer.from(leaf ?? []).toString())?.[1]
  return reg !== undefined && !REG_PATTERN.test(reg)
}
