import type pg from 'pg'
import { REG_PATTERN } from '../../src/lib/agent-number.ts'
import { sameBytes } from '../../src/transparency/bytes.ts'
import { readLeaves } from '../../src/transparency/leaf.ts'
import { growingTree, hashLeaf } from '../../src/transparency/merkle.ts'
import { parseBundle } from '../../src/transparency/tiles.ts'

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

  const tree = growingTree()
  const roots = new Map<number, string>()
  const heads = await rowsOf<{ size: string; root: Buffer }>(
    'select size, root from tlog_heads order by size',
  )
  for (const [at, leaf] of leaves.entries()) {
    await tree.append(await hashLeaf(leaf))
    if (heads.some((head) => Number(head.size) === at + 1)) roots.set(at + 1, hex(await tree.root()))
  }
  for (const head of heads) {
    if (roots.get(Number(head.size)) !== hex(head.root))
      problems.push(`the head of ${head.size} has another root`)
  }
  const tiles = await rowsOf<{ hashes: Buffer }>('select hashes from tlog_tiles where level = 0 order by n')
  const hashes = Buffer.concat(tiles.map((tile) => tile.hashes))
  for (const [at, leaf] of leaves.entries()) {
    if (!sameBytes(hashes.subarray(32 * at, 32 * at + 32), await hashLeaf(leaf)))
      problems.push(`tile of leaf ${at}`)
  }

  const { leaves: read, malformed, unknown } = readLeaves(leaves, 0)
  const odd = malformed.filter((index) => !isPlanted(leaves[index]))
  if (odd.length > 0 || unknown.size > 0)
    problems.push(`${odd.length} leaves that say nothing: ${odd.slice(0, 5).join(', ')}`)
  const seqs = new Map<string, number>()
  const seen = new Set<string>()
  const voids = read.flatMap(({ leaf }) => (leaf.kind === 'restore' ? [leaf] : []))
  for (const { index, leaf } of read) {
    if (voids.some(({ from, to }) => index >= from && index < to)) continue
    if (leaf.kind === 'event') {
      const next = (seqs.get(leaf.reg) ?? 0) + 1
      if (leaf.seq !== next) problems.push(`${leaf.reg}: leaf ${index} is event ${leaf.seq}, not ${next}`)
      seqs.set(leaf.reg, leaf.seq)
    } else if (leaf.kind === 'day' || leaf.kind === 'incident' || leaf.kind === 'agent') {
      const name = [
        leaf.kind,
        leaf.reg,
        'day' in leaf ? leaf.day : 'id' in leaf ? leaf.id : '',
        leaf.rev,
      ].join(' ')
      if (seen.has(name)) problems.push(`${name} twice`)
      seen.add(name)
    }
  }
  const agents = await rowsOf<Logged>(
    'select reg, events::float8, logged_events::float8 as logged from agent_stats s join agents a on a.id = s.agent_id',
  )
  for (const { reg, logged } of agents) {
    if (REG_PATTERN.test(reg) && (seqs.get(reg) ?? 0) !== logged)
      problems.push(`${reg}: ${seqs.get(reg) ?? 0} leaves, ${logged} logged`)
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
export function isPlanted(leaf: Uint8Array | undefined): boolean {
  const reg = /"reg":"([^"]+)"/.exec(Buffer.from(leaf ?? []).toString())?.[1]
  return reg !== undefined && !REG_PATTERN.test(reg)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
