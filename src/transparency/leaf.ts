import { REG_PATTERN } from '../lib/agent-number.ts'
import { utf8 } from '../lib/crypto.ts'
import { decodeBase64Url, decodeText, isObject, parseObject } from './bytes.ts'
import { type PublicJwk, publicJwk } from './jwk.ts'
import { HASH_BYTES } from './merkle.ts'

export const MAX_LEAF_BYTES = 65_535 // a bundle has two bytes for the length of an entry

const OPERATOR_STATES = ['verified', 'expired', 'suspended', 'reinstated'] as const
const PLATFORM_STATES = ['registered', 'established', 'distrusted', 'trusted', 'retired'] as const

/** One rollup row of a day: day, source, then counters in the order of `/trust-score/inputs`. */
type Row = [day: string, source: string, ...counters: number[]]

/** The score of a day in the history. */
interface DayScore {
  overall: string
  reliability: string
  accuracy: string
  safety: string
  speed: string
  consistency: string
  events: number
  alg: string
  /** SHA-256 of the canonical rows, in hex. */
  inputs: string
}

/** What an agent has reached at the end of a day, since its registration. */
interface Totals {
  events: number
  tasks_completed: number
  tasks_failed: number
  incident_count: number
}

/** The fields of each kind of leaf; `c` is a commitment, times are ISO 8601 in UTC with milliseconds. */
interface Shapes {
  log: { origin: string; spec: string; previous?: string }
  event: { reg: string; seq: number; c: string }
  agent: { reg: string; rev: number; c: string }
  incident: { reg: string; id: string; rev: number; c: string }
  day: {
    reg: string
    day: string
    rev: number
    seq: number
    totals: Totals
    open_outages: number
    rows: Row[]
    score: DayScore | null
  }
  key: { use: 'token' | 'log'; kid: string; key: PublicJwk; state: 'added' | 'removed' }
  restore: { from: number; to: number; at: string }
  /** Names what it hides: the metadata of the event `seq`, and the incident that this event opened. */
  redaction: {
    reg: string
    seq: number
    incident: string | null
    reason: 'law' | 'secret' | 'personal'
    at: string
  }
  /** An administrator withholds the texts of an agent, or the name of a platform, or shows them again. */
  withholding: { reg: string; rev: number; state: 'withheld' | 'shown'; at: string }
  /** A key of an agent, valid until `until` unless it is revoked. */
  agent_key: {
    reg: string
    kid: string
    rev: number
    key: PublicJwk
    state: 'added' | 'revoked'
    reason: 'rotated' | 'compromised' | 'unused' | null
    at: string
    until: string | null
  }
  platform_withholding: { platform: string; rev: number; state: 'withheld' | 'shown'; at: string }
  /** What the source of reports depends on. An operator without a leaf was never verified. */
  operator: { operator: string; rev: number; state: (typeof OPERATOR_STATES)[number]; at: string }
  /** `by`: the operators that established it; empty for other states. */
  platform: {
    platform: string
    rev: number
    operator: string
    state: (typeof PLATFORM_STATES)[number]
    at: string
    by: string[]
  }
}

export type LeafKind = keyof Shapes

/** A leaf of version 1. */
export type Leaf = { [Kind in LeafKind]: { v: 1; kind: Kind } & Shapes[Kind] }[LeafKind]

/**
 * A leaf, or why its bytes cannot be read. In either case they are part of the tree.
 *
 * `unknown`: a later version or kind, which is not an error but must be reported. `malformed`: not the bytes of a leaf.
 */
export type ReadLeaf =
  | { leaf: Leaf; reason: null }
  | { leaf: null; reason: 'unknown'; version: string; kind: string }
  | { leaf: null; reason: 'malformed' }

type Fields = { [Kind in LeafKind]: Record<keyof Shapes[Kind], Write> }

/** Writes a value as JSON without whitespace; null if the value is invalid. */
type Write = (value: unknown) => string | null

const quoted: Write = (value) => (typeof value === 'string' && value.isWellFormed() ? toAscii(value) : null)
const matching =
  (pattern: RegExp): Write =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? quoted(value) : null
const from =
  (least: number): Write =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least ? String(value) : null
const oneOf =
  (...values: readonly string[]): Write =>
  (value) =>
    values.includes(value as string) ? JSON.stringify(value) : null
const orNull =
  (write: Write): Write =>
  (value) =>
    value === null ? 'null' : write(value)

/** The keys of each kind in order. The annotation lets bundlers drop it if it is not used. */
const FIELDS: Fields = /* @__PURE__ */ makeFields()
const OPTIONAL: readonly string[] = ['previous']

/**
 * The bytes of a leaf: one JSON object in ASCII, without whitespace, with its keys in the order of its kind.
 *
 * @throws TypeError if a field is invalid, or the leaf is longer than 65,535 bytes
 *
 * Source: transparency log, Leaves.
 */
export function leafBytes(leaf: Leaf): Uint8Array<ArrayBuffer> {
  const text = leafText(leaf)
  if (text === null) throw new TypeError(`leaf: not a leaf of kind ${leaf.kind}`)
  if (text.length > MAX_LEAF_BYTES) throw new TypeError(`leaf: at most ${MAX_LEAF_BYTES} bytes`)
  return utf8(text)
}

/**
 * Reads a leaf. Other encodings of the same JSON object, with whitespace or another order of keys, are malformed.
 *
 * @param bytes of the leaf in a bundle or a proof
 *
 * Source: transparency log, Leaves.
 */
export function readLeaf(bytes: Uint8Array): ReadLeaf {
  const text = decodeText(bytes)
  const value = text === null || bytes.length > MAX_LEAF_BYTES ? null : parseObject(text)
  if (!value) return { leaf: null, reason: 'malformed' }
  if (value.v !== 1 || typeof value.kind !== 'string' || !Object.hasOwn(FIELDS, value.kind)) {
    return { leaf: null, reason: 'unknown', version: shown(value.v), kind: shown(value.kind) }
  }
  const leaf = value as unknown as Leaf
  return leafText(leaf) === text ? { leaf, reason: null } : { leaf: null, reason: 'malformed' }
}

/** A sequence of leaves that were read. */
export interface LeafSummary {
  leaves: { index: number; leaf: Leaf }[]
  /** Number of unknown leaves by version and kind, such as `2 receipt`. */
  unknown: Map<string, number>
  /** Indexes of malformed leaves. */
  malformed: number[]
}

/**
 * Reads a sequence of leaves, and counts unknown ones.
 *
 * @param first index of the first leaf
 */
export function readLeaves(entries: readonly Uint8Array[], first: number): LeafSummary {
  const summary: LeafSummary = { leaves: [], unknown: new Map(), malformed: [] }
  for (const [at, bytes] of entries.entries()) {
    const read = readLeaf(bytes)
    if (read.reason === null) summary.leaves.push({ index: first + at, leaf: read.leaf })
    else if (read.reason === 'malformed') summary.malformed.push(first + at)
    else {
      const name = `${read.version} ${read.kind}`
      summary.unknown.set(name, (summary.unknown.get(name) ?? 0) + 1)
    }
  }
  return summary
}

function makeFields(): Fields {
  const reg = matching(REG_PATTERN)
  const instant: Write = (value) => (isInstant(value) ? JSON.stringify(value) : null)
  const day: Write = (value) =>
    typeof value === 'string' && isInstant(`${value}T00:00:00.000Z`) ? JSON.stringify(value) : null
  const digest: Write = (value) =>
    typeof value === 'string' && decodeBase64Url(value)?.length === HASH_BYTES ? JSON.stringify(value) : null
  const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const slug = matching(/^[a-z0-9-]+$/)
  const points = matching(/^(?:100\.0|\d{1,2}\.\d)$/)
  const row: Write = (value) =>
    Array.isArray(value)
      ? written([day, matching(/^[a-z]+$/), ...value.slice(2).map(() => from(0))], value)
      : null
  const rows: Write = (value) => (Array.isArray(value) ? written(Array(value.length).fill(row), value) : null)
  const totals: Record<keyof Totals, Write> = {
    events: from(0),
    tasks_completed: from(0),
    tasks_failed: from(0),
    incident_count: from(0),
  }
  const score: Record<keyof DayScore, Write> = {
    overall: points,
    reliability: points,
    accuracy: points,
    safety: points,
    speed: points,
    consistency: points,
    events: from(0),
    alg: matching(/^\d+\.\d+$/),
    inputs: matching(/^[0-9a-f]{64}$/),
  }

  const jwk: Write = (value) => (publicJwk(value) ? JSON.stringify(publicJwk(value)) : null)

  return {
    log: { origin: matching(/^\S+$/), spec: matching(/^https?:\/\/\S+$/), previous: quoted },
    event: { reg, seq: from(1), c: digest },
    agent: { reg, rev: from(1), c: digest },
    incident: { reg, id: uuid, rev: from(1), c: digest },
    day: {
      reg,
      day,
      rev: from(1),
      seq: from(0),
      totals: (value) => object(totals, value),
      open_outages: from(0),
      rows,
      score: orNull((value) => object(score, value)),
    },
    key: {
      use: oneOf('token', 'log'),
      kid: digest,
      key: jwk,
      state: oneOf('added', 'removed'),
    },
    restore: { from: from(0), to: from(1), at: instant },
    redaction: {
      reg,
      seq: from(1),
      incident: orNull(uuid),
      reason: oneOf('law', 'secret', 'personal'),
      at: instant,
    },
    withholding: { reg, rev: from(1), state: oneOf('withheld', 'shown'), at: instant },
    agent_key: {
      reg,
      kid: digest,
      rev: from(1),
      key: jwk,
      state: oneOf('added', 'revoked'),
      reason: orNull(oneOf('rotated', 'compromised', 'unused')),
      at: instant,
      until: orNull(instant),
    },
    platform_withholding: { platform: slug, rev: from(1), state: oneOf('withheld', 'shown'), at: instant },
    operator: { operator: uuid, rev: from(1), state: oneOf(...OPERATOR_STATES), at: instant },
    platform: {
      platform: slug,
      rev: from(1),
      operator: uuid,
      state: oneOf(...PLATFORM_STATES),
      at: instant,
      by: (value) => (Array.isArray(value) ? written(Array(value.length).fill(uuid), value) : null),
    },
  }
}

/** Null if a field is invalid. */
function leafText(leaf: Leaf): string | null {
  const { v, kind, ...facts } = leaf
  const text = object(FIELDS[kind], facts)
  return text && isCoherent(leaf) ? `{"v":${v},"kind":"${kind}",${text.slice(1)}` : null
}

/** Whether valid fields of a leaf are consistent with each other. */
function isCoherent(leaf: Leaf): boolean {
  if (leaf.kind === 'restore') return leaf.from < leaf.to
  return (
    leaf.kind !== 'day' || (leaf.seq === leaf.totals.events && leaf.rows.every(([of]) => of === leaf.day))
  )
}

function object(fields: Readonly<Record<string, Write>>, value: unknown): string | null {
  if (!isObject(value)) return null
  const names = Object.keys(fields).filter((name) => !(OPTIONAL.includes(name) && value[name] === undefined))
  const texts = names.map((name) => fields[name]?.(value[name]) ?? null)
  return texts.includes(null) ? null : `{${names.map((name, at) => `"${name}":${texts[at]}`).join(',')}}`
}

function written(writers: readonly Write[], values: readonly unknown[]): string | null {
  const texts = writers.map((write, at) => write(values[at]))
  return texts.includes(null) ? null : `[${texts.join(',')}]`
}

function isInstant(value: unknown): value is string {
  const time = typeof value === 'string' ? new Date(value) : null
  return time !== null && !Number.isNaN(time.getTime()) && time.toISOString() === value
}

/** A JSON string in ASCII. */
function toAscii(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A version or kind, short enough to be printed. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'none').replaceAll('"', '').slice(0, 40)
}
