import { eventDelta } from '../trust/rollup.ts'
import { unknownFields, type Warning } from '../wire/warnings.ts'
import { eventInput } from './schema.ts'

const KEYS_READ = 50 // of the metadata
const NAME_MAX = 30 // longer names are no near misses

/** Common spellings of names, in the form of `plain`, by the name that counts. */
const TYPES = bySpelling({
  task_completed:
    'taskcompleted taskcomplete taskscompleted taskcompletion tasksuccess tasksucceeded taskdone taskfinished',
  task_failed: 'taskfailed taskfail tasksfailed taskfailure',
  error: 'error errors err',
  incident: 'incident incidents',
  startup: 'startup start started',
  shutdown: 'shutdown stop stopped',
})

const SCORED_KEYS = bySpelling({
  response_ms:
    'responsems duration durationms latency latencyms responsetime responsetimems elapsed elapsedms',
  quality: 'quality score qualityscore rating grade',
  correct: 'correct iscorrect',
})

const INCIDENT_KEYS = bySpelling({ title: 'title', description: 'description' })

const REPORT_KEYS = bySpelling({ severity: 'severity level', metadata: 'metadata meta' })

const TIMES = new Set(['createdat', 'timestamp', 'occurredat', 'eventtime', 'time', 'date'])

/** The rule for each key that the score reads, a valid value, and the counter that shows that the key was read. */
const READ = {
  response_ms: { rule: 'milliseconds, a number from 0 to 86,400,000', good: 0, count: 'latency_count' },
  quality: { rule: 'a number from 0 to 1', good: 0, count: 'graded_count' },
  correct: { rule: 'true or false', good: true, count: 'graded_count' },
} as const

type ReadKey = keyof typeof READ

/**
 * Finds probable mistakes in a valid report, which is stored as it was sent.
 *
 * @param body as it was sent, with the fields that the schema drops
 * @returns first about the type, then the report, then the metadata, in the order sent
 *
 * Source: trust score algorithm 1.0, "What is read from an event"
 */
export function* warningsIn(body: unknown): Generator<Warning> {
  const report = body as { event_type: string; metadata?: Record<string, unknown> | null } // valid
  const { event_type, metadata } = report
  const type = TYPES.get(plain(event_type)) ?? event_type
  yield* ofType(event_type, type)
  yield* ofReport(report)
  yield* ofMetadata(type, metadata ?? {})
}

function* ofType(sent: string, type: string): Generator<Warning> {
  if (type === sent) return
  const message = `'${sent}' is a custom type, which counts toward the trust score only with severity critical: did you mean ${type}?`
  yield { code: 'near_miss', field: 'event_type', message }
}

function* ofReport(report: object): Generator<Warning> {
  for (const unknown of unknownFields(eventInput, report)) {
    const { field } = unknown
    const name = plain(field)
    const known = REPORT_KEYS.get(name)
    const inside = SCORED_KEYS.get(name)
    if (TIMES.has(name)) {
      const message =
        'is ignored: the time of an event is when it was reported, and events cannot be backdated'
      yield { code: 'unused', field, message }
    } else if (known !== undefined && !Object.hasOwn(report, known)) {
      yield { code: 'near_miss', field, message: `is ignored: did you mean ${known}?` }
    } else if (inside !== undefined) {
      yield { code: 'near_miss', field, message: `is ignored: did you mean metadata.${inside}?` }
    } else {
      yield unknown
    }
  }
}

function* ofMetadata(type: string, metadata: Record<string, unknown>): Generator<Warning> {
  const reads = (key: ReadKey, value: unknown) => isRead(type, key, value)
  for (const key of Object.keys(metadata).slice(0, KEYS_READ)) {
    const field = `metadata.${key}`
    const value = metadata[key]
    if (value === null) continue
    if (isReadKey(key)) {
      if (reads(key, value)) continue
      const { rule, good } = READ[key]
      yield reads(key, good)
        ? { code: 'bad_value', field, message: `does not count: must be ${rule}` }
        : { code: 'unused', field, message: `does not count for events of type '${type}'` }
      continue
    }
    const names = type === 'incident' ? INCIDENT_KEYS : SCORED_KEYS
    const known = names.get(plain(key))
    if (known === undefined || known === key || Object.hasOwn(metadata, known)) continue
    if (isReadKey(known) && !reads(known, READ[known].good)) continue
    yield {
      code: 'near_miss',
      field,
      message: `is ignored: did you mean metadata.${known}${ruleOf(known)}?`,
    }
  }
}

/** Whether the score reads a key with this value in an event of this type, according to the rollup itself. */
function isRead(event_type: string, key: ReadKey, value: unknown): boolean {
  return eventDelta({ event_type, severity: 'info', metadata: { [key]: value } })[READ[key].count] > 0
}

function ruleOf(key: string): string {
  return isReadKey(key) ? ` (${READ[key].rule})` : ''
}

function isReadKey(key: string): key is ReadKey {
  return Object.hasOwn(READ, key)
}

/** A name in lowercase without punctuation; empty if it is too long to be a near miss. */
function plain(name: string): string {
  return name.length > NAME_MAX ? '' : name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The name that counts, by each of its spellings. */
function bySpelling(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(names).flatMap(([name, written]) => written.split(' ').map((text) => [text, name])),
  )
}
