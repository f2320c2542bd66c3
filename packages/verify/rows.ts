import { SOURCES } from '../../src/db/enums.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { utcDay } from '../../src/lib/time.ts'
import { isCount, isObject } from '../../src/transparency/bytes.ts'
import type { Rollup } from '../../src/trust/rollup.ts'

/** Whether a value is a rollup row. */
export function isRow(value: unknown): value is Rollup {
  return (
    isObject(value) &&
    SOURCES.some((source) => source === value.source) &&
    utcDay(new Date(String(value.day))) === value.day &&
    ROLLUP_FIELDS.every((field) => isCount(value[field]))
  )
}
