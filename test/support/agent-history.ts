import { SOURCES, type Source } from '../../src/db/enums.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { emptyRow, seeded } from '../vectors/rollups.ts'
import { daysAfter } from './scored.ts'

/** Different rollup rows for each of a number of days up to the last one. */
export function madeRows(last: string, days: number, sources: readonly Source[] = SOURCES): Rollup[] {
  const random = seeded(days)
  const draw = (below: number) => Math.floor(random() * below)
  return Array.from({ length: days }, (_, n) => daysAfter(last, n + 1 - days)).flatMap((day) =>
    sources.map((source) => {
      const [completed, failed] = [5 + draw(900), draw(4) === 0 ? draw(60) : 0]
      const incidents_warning = draw(9) === 0 ? 1 + draw(3) : 0
      return {
        ...emptyRow(day, source),
        events: completed + failed + incidents_warning,
        completed,
        failed,
        graded_count: completed,
        graded_milli: completed * (800 + draw(200)),
        latency_count: completed,
        latency_satisfied: completed - draw(5),
        incidents_warning,
      }
    }),
  )
}
