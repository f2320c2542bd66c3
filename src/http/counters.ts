const WINDOW_MS = 60_000
/** An isolate holds back at most an eighth of a limit, so that k isolates let at most limit × (1 + k/8) calls pass. */
const SHARE = 8
/** Below this limit, an eighth is only a few calls: each is added to Redis by itself. */
const LEAST_LIMIT = 64

/** Calls that are added to Redis together. Plain data: a request must not await a promise of another request. */
interface Batch {
  size: number
  /** Position of its last call in the window; null if Redis did not respond, undefined while it has not yet. */
  last: number | null | undefined
}

/** What an isolate knows of one caller in one window. */
export interface Counter {
  /** Calls per window; undefined until a credential has been read. */
  limit: number | undefined
  /** The end of the window, in Unix milliseconds. */
  reset: number
  /** Calls in the window, as of the last response of Redis. */
  synced: number
  /** The calls that are being added to Redis. */
  sent: Batch | undefined
  /** When `sent` is given up, in Unix milliseconds. */
  sentUntil: number
  /** The calls that have not been sent to Redis yet. */
  open: Batch
}

export interface Call {
  /** Calls in the window, including this one; undefined if only Redis knows. */
  used: number | undefined
  batch: Batch
  nth: number
}

/**
 * Counters of the current window by caller. The limits known from the previous window are reused. When there are too
 * many counters, a new caller gets none, so that no counted call is forgotten.
 *
 * @param max maximum number of counters in a window
 */
export function counters(max: number) {
  let window = 0
  let before = new Map<string, Counter>()
  let current = new Map<string, Counter>()
  return {
    /** The counter of a caller at the time `now`, in Unix milliseconds; undefined if there are too many. */
    find(key: string, limit: number | undefined, now: number): Counter | undefined {
      const at = Math.floor(now / WINDOW_MS)
      if (at !== window) {
        before = current
        current = new Map()
        window = at
      }
      const known = current.get(key)
      if (known || current.size >= max) return known
      const counter: Counter = {
        limit: limit ?? before.get(key)?.limit,
        reset: (at + 1) * WINDOW_MS,
        synced: 0,
        sent: undefined,
        sentUntil: 0,
        open: newBatch(),
      }
      current.set(key, counter)
      return counter
    },
    /** Sets the limit of a caller that has a counter. */
    setLimit(key: string, limit: number): void {
      const known = current.get(key)
      if (known) known.limit = limit
    },
  }
}

function newBatch(): Batch {
  return { size: 0, last: undefined }
}

/**
 * How many calls may pass before they are added to Redis: an eighth of what is left of the limit, and with those being
 * sent at most an eighth of the limit.
 */
function roomOf({ limit, synced, sent }: Counter): number {
  if (limit === undefined || limit < LEAST_LIMIT) return 0
  const inFlight = sent?.size ?? 0
  const ofTheRest = Math.floor((limit - synced - inFlight) / SHARE)
  return Math.min(ofTheRest, Math.floor(limit / SHARE) - inFlight)
}

/** Adds a call to the open batch. */
export function addCall(counter: Counter): Call {
  const { synced, sent, open } = counter
  const passes = open.size < roomOf(counter)
  open.size += 1
  return { used: passes ? synced + (sent?.size ?? 0) + open.size : undefined, batch: open, nth: open.size }
}

/** Whether the open calls must be sent to Redis now. */
export function isDue(counter: Counter): boolean {
  return !counter.sent && counter.open.size >= roomOf(counter)
}

/**
 * Takes the open calls as the batch to send to Redis, one batch at a time.
 *
 * @param until when the batch is given up, in Unix milliseconds
 */
export function send(counter: Counter, until: number): Batch {
  const batch = counter.open
  counter.sent = batch
  counter.sentUntil = until
  counter.open = newBatch()
  return batch
}

/**
 * Records the response of Redis. Without a response, the calls may have been added, so they count until the next one.
 *
 * @param total calls in the window, including the batch; null if Redis did not respond
 */
export function recordTotal(counter: Counter, batch: Batch, total: number | null): void {
  if (counter.sent !== batch) return
  counter.synced = total ?? counter.synced + batch.size
  batch.last = total
  counter.sent = undefined
}

/** Gives up a batch after its time is over: the request that sent it was interrupted. */
export function giveUp(counter: Counter, now: number): void {
  if (counter.sent && counter.sentUntil <= now) recordTotal(counter, counter.sent, null)
}

/** Position of a call in its window; null if Redis did not respond, undefined while it has not yet. */
export function positionOf({ batch, nth }: Call): number | null | undefined {
  return typeof batch.last === 'number' ? batch.last - batch.size + nth : batch.last
}
