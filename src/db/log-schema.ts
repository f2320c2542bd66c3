import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { bytea, instant } from './types.ts'

const place = () => bigint({ mode: 'number' })

/** The state of the transparency log: one row, whose row lock admits one sequencer at a time. */
export const tlog_state = pgTable(
  'tlog_state',
  {
    one: boolean().primaryKey().default(true),
    /** Number of leaves in the tree. */
    size: place().notNull().default(0),
    /** Why the log is paused; null while it is running. */
    paused: text(),
  },
  (t) => [check('tlog_state_one', sql`${t.one}`)],
)

/** Tiles: 256 concatenated hashes of a level of the tree; the last tile of a level is shorter. */
export const tlog_tiles = pgTable(
  'tlog_tiles',
  {
    level: smallint().notNull(),
    n: place().notNull(),
    hashes: bytea().notNull(),
  },
  (t) => [primaryKey({ columns: [t.level, t.n] })],
)

/** Bundles: 256 leaves, each after its length in two bytes. */
export const tlog_bundles = pgTable('tlog_bundles', {
  n: place().primaryKey(),
  entries: bytea().notNull(),
})

/** Leaves that were appended together. Their salts are derived from the seed, which never leaves the database. */
export const tlog_batches = pgTable('tlog_batches', {
  first_index: place().primaryKey(),
  leaves: integer().notNull(),
  seed: bytea().notNull(),
  sequenced_at: instant().notNull(),
})

/** Indexes of events of an agent that were appended together: consecutive `seq` from `first_seq`. */
export const tlog_ranges = pgTable(
  'tlog_ranges',
  {
    agent_id: uuid().notNull(),
    first_seq: place().notNull(),
    first_index: place().notNull(),
    leaves: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.agent_id, t.first_seq] })],
)

/** Leaves to append other than events, written by triggers on the tables that change; with the texts of an agent or incident. */
export const tlog_outbox = pgTable(
  'tlog_outbox',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    rev: integer().notNull(),
    agent_id: uuid(),
    facts: text().notNull(),
    texts: text(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.subject, t.rev] })],
)

/** Days of agents to append once they are over. */
export const tlog_days = pgTable(
  'tlog_days',
  {
    day: date({ mode: 'string' }).notNull(),
    agent_id: uuid().notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.agent_id] })],
)

/**
 * Indexes of leaves other than events, with what they commit to or, of kinds without a commitment, the leaf itself; null
 * for a day. `texts` are those that the facts commit to; null if erased.
 */
export const tlog_facts = pgTable(
  'tlog_facts',
  {
    index: place().primaryKey(),
    kind: text().notNull(),
    agent_id: uuid(),
    subject: text().notNull(),
    rev: integer().notNull(),
    facts: text(),
    texts: text(),
  },
  (t) => [
    index('tlog_facts_agent').on(t.agent_id, t.kind, t.index),
    index('tlog_facts_subject').on(t.kind, t.subject, t.rev),
  ],
)

/** The last signed head of each UTC day. */
export const tlog_heads = pgTable(
  'tlog_heads',
  {
    day: date({ mode: 'string' }).primaryKey(),
    size: place().notNull(),
    root: bytea().notNull(),
    /** The signed note, without cosignatures. */
    note: text().notNull(),
    cosignatures: text().notNull().default(''),
    signed_at: instant().notNull(),
  },
  (t) => [index('tlog_heads_size').on(t.size)],
)
