import { customType } from 'drizzle-orm/pg-core'
import { toIso } from '../lib/time.ts'

/** `timestamptz(3)` that reads and writes ISO 8601 with `Z`, the form of the wire. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: toIso,
})

/** A text search vector; only ever written by the database itself. */
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

/** Bytes; statements read them as base64. */
export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
