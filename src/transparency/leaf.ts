import { REG_PATTERN } from '../lib/agent-number.ts'
import { utf8 } from '../lib/crypto.ts'
import { decodeBase64Url, decodeText, isObject, parseObject } from './bytes.ts'
import { type PublicJwk, publicJwk } from './jwk.ts'
import { HASH_BYTES } from './merkle.ts'

export const MAX_LEAF_BYTES = 65_535 // a bundle has two bytes for the length of an entry

/** Writes a value of type T as JSON without whitespace; null if the value is invalid. `type` exists only as a type. */
interface Write<T> {
  (value: unknown): string | null
  type?: T
}

type Writers = Readonly<Record<string, Write<unknown>>>
type Written<Fields> = { [Name in keyof Fields]: Fields[Name] extends Write<infer T> ? T : never }

type Fields = ReturnType<typeof makeFields>

export type LeafKind = keyof Fields

type Facts<Kind extends LeafKind> = Kind extends 'log'
  ? Omit<Written<Fields['log']>, 'previous'> & { previous?: string }
  : Written<Fields[Kind]>

/** A leaf of version 1. */
export type Leaf = { [Kind in LeafKind]: { v: 1; kind: Kind } & Facts<Kind> }[LeafKind]

/**
 * A leaf, or why its bytes cannot be read. In either case they are part of the tree.
 *
 * `unknown`: a later version or kind, which is not an error but must be reported. `malformed`: not the bytes of a leaf.
 */
export type ReadLeaf =
  | { leaf: Leaf; reason: null }
  | { leaf: null; reason: 'unknown'; version: string; kind: string }
  | { leaf: null; reason: 'malformed' }

const quoted: Write<string> = (value) =>
  typeof value === 'string' && value.isWellFormed() ? toAscii(value) : null
const matching =
  (pattern: RegExp): Write<string> =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? quoted(value) : null
const atLeast =
  (least: number): Write<number> =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least ? String(value) : null
const oneOf =
  <const Value extends string>(...values: readonly Value[]): Write<Value> =>
  (value) =>
    values.includes(value as Value) ? JSON.stringify(value) : null
const orNull =
  <T>(write: Write<T>): Write<T | null> =>
  (value) =>
    value === null ? 'null' : write(value)
const each =
  <T>(write: Write<T>): Write<T[]> =>
  (value) =>
    Array.isArray(value) ? written(Array(value.length).fill(write), value) : null
const record =
  <Of extends Writers>(fields: Of): Write<Written<Of>> =>
  (value) =>
    object(fields, value)

/** The keys of each kind in order. The annotation lets bundlers drop it if it is not used. */
const FIELDS: Readonly<Record<LeafKind, Writers>> = /* @__PURE__ */ makeFields()
const OPTIONAL: readonly string[] = ['previous']

/**
 * The bytes of a leaf: one JSON object in ASCII, without whitespace, with its keys in the order of its kind.
 *
 * @throws TypeError if a field is invalid, or the leaf is longer than 65,535 bytes
 *
 * Source: docs/use/transparency.md, "What it contains".
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
 * Source: docs/use/transparency.md, "What it contains".
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

/** The fields of each kind of leaf; `c` is a commitment, times are ISO 8601 in UTC with milliseconds. */
function makeFields() {
  const reg = matching(REG_PATTERN)
  const instant: Write<string> = (value) => (isInstant(value) ? JSON.stringify(value) : null)
  const day: Write<string> = (value) =>
    typeof value === 'string' && isInstant(`${value}T00:00:00.000Z`) ? JSON.stringify(value) : null
  const digest: Write<string> = (value) =>
    typeof value === 'string' && decodeBase64Url(value)?.length === HASH_BYTES ? JSON.stringify(value) : null
  const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const slug = matching(/^[a-z0-9-]+$/)
  const points = matching(/^(?:100\.0|\d{1,2}\.\d)$/)
  /** One rollup row of a day, with its counters in the order of `/trust-score/inputs`. */
  const row: Write<[day: string, source: string, ...counters: number[]]> = (value) =>
    Array.isArray(value)
      ? written([day, matching(/^[a-z]+$/), ...value.slice(2).map(() => atLeast(0))], value)
      : null
  const jwk: Write<PublicJwk> = (value) => (publicJwk(value) ? JSON.stringify(publicJwk(value)) : null)
  const withholding = { rev: atLeast(1), state: oneOf('withheld', 'shown'), at: instant }

  return {
    log: { origin: matching(/^\S+$/), spec: matching(/^https?:\/\/\S+$/), previous: quoted },
    event: { reg, seq: atLeast(1), c: digest },
    agent: { reg, rev: atLeast(1), c: digest },
    incident: { reg, id: uuid, rev: atLeast(1), c: digest },
    day: {
      reg,
      day,
      rev: atLeast(1),
      seq: atLeast(0),
      /** What the agent has reached at the end of the day, since its registration. */
      totals: record({
        events: atLeast(0),
        tasks_completed: atLeast(0),
        tasks_failed: atLeast(0),
        incident_count: atLeast(0),
      }),
      open_outages: atLeast(0),
      rows: each(row),
      /** The score of the day in the history. */
      score: orNull(
        record({
          overall: points,
          reliability: points,
          accuracy: points,
          safety: points,
          speed: points,
          consistency: points,
          events: atLeast(0),
          alg: matching(/^\d+\.\d+$/),
          /** SHA-256 of the canonical rows, in hex. */
          inputs: matching(/^[0-9a-f]{64}$/),
        }),
      ),
    },
    key: { use: oneOf('token', 'log'), kid: digest, key: jwk, state: oneOf('added', 'removed') },
    restore: { from: atLeast(0), to: atLeast(1), at: instant },
    /** Names what it hides: the metadata of the event `seq`, and the incident that this event opened. */
    redaction: {
      reg,
      seq: atLeast(1),
      incident: orNull(uuid),
      reason: oneOf('law', 'secret', 'personal'),
      at: instant,
    },
    /** An administrator withholds the texts of an agent, or the name of a platform, or shows them again. */
    withholding: { reg, ...withholding },
    /** A key of an agent, valid until `until` unless it is revoked. */
    agent_key: {
      reg,
      kid: digest,
      rev: atLeast(1),
      key: jwk,
      state: oneOf('added', 'revoked'),
      reason: orNull(oneOf('rotated', 'compromised', 'unused')),
      at: instant,
      until: orNull(instant),
    },
    platform_withholding: { platform: slug, ...withholding },
    /** What the source of reports depends on. An operator without a leaf was never verified. */
    operator: {
      operator: uuid,
      rev: atLeast(1),
      state: oneOf('verified', 'expired', 'suspended', 'reinstated'),
      at: instant,
    },
    /** `by`: the operators that established it; empty for other states. */
    platform: {
      platform: slug,
      rev: atLeast(1),
      operator: uuid,
      state: oneOf('registered', 'established', 'distrusted', 'trusted', 'retired'),
      at: instant,
      by: each(uuid),
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

function object(fields: Writers, value: unknown): string | null {
  if (!isObject(value)) return null
  const names = Object.keys(fields).filter((name) => !(OPTIONAL.includes(name) && value[name] === undefined))
  const texts = names.map((name) => fields[name]?.(value[name]) ?? null)
  return texts.includes(null) ? null : `{${names.map((name, at) => `"${name}":${texts[at]}`).join(',')}}`
}

function written(writers: readonly Write<unknown>[], values: readonly unknown[]): string | null {
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
