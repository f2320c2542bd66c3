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

/** Where the transparency log stands; one row, whose lock is that of the sequencer. */
export const tlog_state = pgTable(
  'tlog_state',
  {
    one: boolean().primaryKey().default(true),
    /** Leaves in the tree. */
    size: place().notNull().default(0),
    /** Why nothing is appended; null while it is. */
    paused: text(),
    /** The last agent that was looked at for what the log lacks. */
    marked_agent: uuid(),
  },
  (t) => [check('tlog_state_one', sql`${t.one}`)],
)

/** 256 hashes of a level of the tree, one after the other; the last of a level is shorter. */
export const tlog_tiles = pgTable(
  'tlog_tiles',
  {
    level: smallint().notNull(),
    n: place().notNull(),
    hashes: bytea().notNull(),
  },
  (t) => [primaryKey({ columns: [t.level, t.n] })],
)

/** 256 leaves, each behind its length of two bytes. */
export const tlog_bundles = pgTable('tlog_bundles', {
  n: place().primaryKey(),
  entries: bytea().notNull(),
})

/** Leaves that were appended at once; their salts are made of the seed, which never leaves the database. */
export const tlog_batches = pgTable('tlog_batches', {
  first_index: place().primaryKey(),
  leaves: integer().notNull(),
  seed: bytea().notNull(),
  sequenced_at: instant().notNull(),
})

/** Where the events of an agent stand that were appended at once: `seq` from the first on, without gaps. */
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

/** What is to be appended in addition to events: written by the triggers of what changes. */
export const tlog_outbox = pgTable(
  'tlog_outbox',
  {
    kind: text().notNull(),
    subject: text().notNull(),
    rev: integer().notNull(),
    agent_id: uuid(),
    facts: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.subject, t.rev] })],
)

/** Days of agents that are to be appended when they are over. */
export const tlog_days = pgTable(
  'tlog_days',
  {
    day: date({ mode: 'string' }).notNull(),
    agent_id: uuid().notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.agent_id] })],
)

/** Where the leaves of other kinds than event stand, with what they commit to; erased texts are null. */
export const tlog_facts = pgTable(
  'tlog_facts',
  {
    index: place().primaryKey(),
    kind: text().notNull(),
    agent_id: uuid(),
    subject: text().notNull(),
    rev: integer().notNull(),
    facts: text(),
  },
  (t) => [
    index('tlog_facts_agent').on(t.agent_id, t.index),
    index('tlog_facts_subject').on(t.kind, t.subject, t.rev),
  ],
)

/** The last head that was signed on a UTC day. */
export const tlog_heads = pgTable(
  'tlog_heads',
  {
    day: date({ mode: 'string' }).primaryKey(),
    size: place().notNull(),
    root: bytea().notNull(),
    /** As it was signed, without cosignatures. */
    note: text().notNull(),
    cosignatures: text().notNull().default(''),
    signed_at: instant().notNull(),
  },
  (t) => [index('tlog_heads_size').on(t.size)],
)
