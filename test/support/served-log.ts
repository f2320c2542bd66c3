import { openCheckpoint, parsePolicy, rootFromTiles, tileReader } from '../../packages/verify/index.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { monitorLog } from '../../scripts/log-verify/monitor.ts'
import { logPath } from '../../src/lib/log-path.ts'
import { sameBytes } from '../../src/transparency/bytes.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { isPlanted } from './log-check.ts'

const NETWORK = '198.18.0' // of addresses that no test calls from
const ADDRESSES = 250 // so that none of them comes to its limit

/**
 * Verifies the log that a service serves against its signed head, like `log:verify --all`.
 *
 * @returns the problems, as text; empty without a head or a service
 */
export async function checkServedLog(baseUrl: string): Promise<string[]> {
  let requested = 0
  const ask = (url: string) =>
    fetch(url, { headers: { 'CF-Connecting-IP': `${NETWORK}.${++requested % ADDRESSES}` } })
  const info = await ask(`${baseUrl}/log/info.json`).catch(() => null)
  if (!info?.ok) return []
  const { origin, vkeys } = (await info.json()) as { origin: string; vkeys: string[] }
  const prefix = baseUrl + logPath(origin)
  const note = await ask(`${prefix}/checkpoint`)
  if (note.status === 404) return []
  const policy = await parsePolicy([...vkeys.map((vkey) => `log ${vkey}`), 'quorum none'].join('\n'))
  const { checkpoint, reason } = await openCheckpoint(await note.text(), policy)
  if (!checkpoint) return [`the head that is served: ${reason}`]

  const { readTiles, readEntries } = tileReader(prefix, ask)
  const planted = new Set<string>()
  const root = await rootFromTiles(checkpoint.size, readTiles)
  const wrong = sameBytes(root, checkpoint.root) ? [] : ['the tiles that are served do not make the root']
  try {
    const { problems } = await monitorLog(checkpoint, {
      readEntries: async (n, size) => {
        const entries = await readEntries(n, size)
        for (const [at, entry] of entries.entries())
          if (isPlanted(entry)) planted.add(`leaf ${n * TILE_WIDTH + at} is not a valid leaf`)
        return entries
      },
    })
    return [...wrong, ...problems.filter((problem) => !planted.has(problem))]
  } catch (error) {
    if (error instanceof CheckFailed) return [...wrong, error.message]
    throw error
  }
}
