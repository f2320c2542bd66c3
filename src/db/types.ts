import { customType } from 'drizzle-orm/pg-core'
import { toIso } from '../lib/time.ts'

/** `timestamptz(3)`, read and written as ISO 8601 with `Z`, as in the API. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: toIso,
})

/** A text search vector, written only by the database itself. */
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

/** Bytes; statements read them as base64. */
export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
