import { z } from 'zod'
import type { Opening } from '../../packages/verify/index.ts'
import { SOURCES } from '../../src/db/enums.ts'
import { eachField } from '../../src/db/rollup-fields.ts'

const count = z.int().min(0)
const points = z.number()

/** The used part of `/log/info.json`: hints, each of which is verified before it is used. */
export const infoShape = z.object({
  origin: z.string(),
  vkeys: z.array(z.string()),
  merge_delay_seconds: z.number().min(0),
  restores: z.array(z.object({ index: count })),
  previous_origins: z.array(z.object({ origin: z.string(), index: count.nullable() })),
})
export type Info = z.infer<typeof infoShape>

/** The opening of a leaf; an incomplete pair of salt and metadata is rejected when the leaf is opened. */
export const openingShape = z
  .object({
    salt: z.string(),
    facts: z.string(),
    metadata_salt: z.string().nullish(),
    metadata: z.string().nullish(),
  })
  .transform(
    ({ salt, facts, metadata_salt, metadata }): Opening => ({
      salt,
      facts,
      ...(typeof metadata_salt === 'string' && { metadata_salt }),
      ...(typeof metadata === 'string' && { metadata }),
    }),
  )

/** The response of `GET /agents/{reg}/log-entries`. */
export const entriesShape = z.object({
  data: z.array(z.object({ index: count, leaf: z.string(), opening: openingShape.nullish() })),
  next_cursor: z.string().nullable(),
})

/** The facts of an event leaf. */
export const eventFacts = z.object({
  id: z.string(),
  event_type: z.string(),
  severity: z.string(),
  reported_by: z.string(),
  source: z.enum(SOURCES),
  created_at: z.iso.datetime(),
})
export type EventFacts = z.infer<typeof eventFacts>

const listedEvent = eventFacts.extend({
  metadata: z.record(z.string(), z.unknown()),
  redacted: z.unknown().optional(),
})
export type ListedEvent = z.infer<typeof listedEvent>

/** The response of `GET /agents/{reg}/activity`. */
export const activityShape = z.object({
  data: z.array(listedEvent),
  operator_status: z.string().optional(),
  next_cursor: z.string().nullish(),
})

/** The response of `GET /agents/{reg}`, with any other fields. */
export const profileShape = z.looseObject({ reg: z.string(), registered_at: z.iso.datetime() })

const row = z.object({ day: z.iso.date(), source: z.enum(SOURCES), ...eachField(() => count) })
const numbers = {
  overall: points,
  reliability: points,
  accuracy: points,
  safety: points,
  speed: points,
  consistency: points,
  events_considered: count,
}

/** The response of `GET /agents/{reg}/trust-score/inputs`. */
export const inputsShape = z.object({
  today: z.iso.date(),
  rows: z.array(row),
  score: z.object(numbers).nullable(),
  sha256: z.string(),
})
export type Inputs = z.infer<typeof inputsShape>

/** The response of `GET /agents/{reg}/trust-score/history`. */
export const scoresShape = z.object({ data: z.array(z.object({ day: z.iso.date(), ...numbers })) })
export type PastScore = z.infer<typeof scoresShape>['data'][number]
