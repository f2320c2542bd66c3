import { SOURCES, type Source } from '../../src/db/enums.ts'
import { hashInputs } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, scoreAgent } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import { plantRows } from './fill.ts'
import type { Harness } from './harness.ts'
import { daysAfter } from './scored.ts'

/** A pseudorandom number generator, with the same numbers in each run. */
function drawn(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Different rollup rows for each of a number of days up to the last one. */
export function madeRows(last: string, days: number, sources: readonly Source[] = SOURCES): Rollup[] {
  const draw = drawn(days)
  return Array.from({ length: days }, (_, n) => daysAfter(last, n + 1 - days)).flatMap((day) =>
    sources.map((source) => {
      const [completed, failed] = [5 + draw(900), draw(4) === 0 ? draw(60) : 0]
      const incidents_warning = draw(9) === 0 ? 1 + draw(3) : 0
      return {
        day,
        source,
        events: completed + failed + incidents_warning,
        completed,
        failed,
        graded_count: completed,
        graded_milli: completed * (800 + draw(200)),
        latency_count: completed,
        latency_satisfied: completed - draw(5),
        latency_tolerating: 0,
        incidents_info: 0,
        incidents_warning,
        incidents_error: 0,
        incidents_critical: 0,
        down_seconds: 0,
      }
    }),
  )
}

/** Inserts rollup rows of an agent and the snapshots computed from them; `dropHistory` must remove both. */
export async function plantHistory(h: Harness, agentId: string, rows: readonly Rollup[]): Promise<void> {
  await plantRows(h, agentId, rows)
  const snapshots = []
  for (const day of new Set(rows.map((row) => row.day))) {
    const score = scoreAgent(rows, day)
    if (!score) continue
    const { provisional, confidence, computation_window_days, algorithm_version, ...shown } = score
    snapshots.push({ day, ...shown, inputs_sha256: await hashInputs(windowOf(rows, day).rows) })
  }
  await h.sql(
    `insert into trust_scores
     select r.* from jsonb_array_elements($2::jsonb) s, jsonb_populate_record(null::trust_scores,
       s || jsonb_build_object('agent_id', $1::text, 'algorithm_version', $3::text, 'computed_at', s ->> 'day')) r`,
    [agentId, JSON.stringify(snapshots), ALGORITHM_VERSION],
  )
}

/** Removes the rollup rows and snapshots of an agent. */
export async function dropHistory(h: Harness, agentId: string): Promise<void> {
  await h.sql('delete from trust_scores where agent_id = $1', [agentId])
  await h.sql('delete from agent_evidence where agent_id = $1', [agentId])
  await h.sql('update agent_stats set scored_day = null where agent_id = $1', [agentId])
}
