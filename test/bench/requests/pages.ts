import { inTurns } from '../../support/load/clients.ts'
import type { Load } from '../../support/load/drive.ts'
import { medians, startDriver } from '../../support/load/driver.ts'
import type { Measured } from './cases.ts'
import { progress, say } from './servers.ts'

const OF_JSON_MOST = 1.5
const WARM_UP_MS = 300
const FIRST_WARM_UP_MS = 2_000

/** The page of an agent, and its profile in JSON, with which it is compared. */
interface Pair {
  name: string
  page: string[]
  json: string[]
  /** Whether it has a limit; the longest history has none, because few visitors open it. */
  isJudged: boolean
}

/**
 * Measures the page of an agent and its profile alternately, one request at a time, and prints the ratio of their times.
 *
 * @returns whether one took more than 1.5 times as long
 */
export async function comparePages(
  agents: Measured,
  base: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<boolean> {
  const { drive, stop } = startDriver()
  const call = (paths: string[], more: Partial<Load>): Load => ({
    ...{ base, paths, method: 'GET', headers: {}, tokens: [], bodies: [], status: 200, concurrency: 1 },
    ...{ warmUpMs: WARM_UP_MS, durationMs: 1000 * seconds, ...more },
  })
  let isSlow = false
  try {
    for (const { name, page, json, isJudged } of pairsOf(agents)) {
      for (const paths of [page, json])
        await drive(call(paths, { warmUpMs: 0, durationMs: FIRST_WARM_UP_MS }))
      progress(name)
      const times = await inTurns(rounds, [() => drive(call(page, {})), () => drive(call(json, {}))])
      const [ofPage, ofJson] = [medians(times[0]).p50_ms, medians(times[1]).p50_ms]
      const ratio = ofPage / ofJson
      const isOver = isJudged && ratio > OF_JSON_MOST
      isSlow ||= isOver
      const verdict = isJudged ? `, at most ${OF_JSON_MOST}: ${isOver ? 'MISSED' : 'ok'}` : ''
      say(
        `\r${name}: page ${ofPage.toFixed(2)} ms, JSON ${ofJson.toFixed(2)} ms, ratio ${ratio.toFixed(2)}${verdict}`,
      )
    }
  } finally {
    stop()
  }
  return isSlow
}

function pairsOf({ settled, withNewEvents, withMostRows }: Measured): Pair[] {
  const pair = (name: string, regs: readonly string[], query = ''): Pair => ({
    name,
    page: regs.map((reg) => `/agents/${reg}${query}`),
    json: regs.map((reg) => `/api/v1/agents/${reg}`),
    isJudged: query === '',
  })
  return [
    pair('agent with a stored score', settled),
    pair('agent with new events', withNewEvents),
    pair('agent with the most rows', withMostRows),
    pair('agent with the most rows, 365 days', withMostRows, '?days=365'),
  ]
}
