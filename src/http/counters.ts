const WINDOW_MS = 60_000
/** An isolate keeps an eighth of a limit to itself at most, so that k of them let at most limit × (1 + k/8) pass. */
const SHARE = 8
/** Below it an eighth is hardly a call. */
const LEAST_LIMIT = 64

/** Calls that are added to Redis together. Data alone: a request must not wait for a promise of another one. */
interface Batch {
  size: number
  /** Which call of its window the last one was; null when Redis was silent, undefined until it has responded. */
  last: number | null | undefined
}

/** What an isolate knows of one caller in one window. */
export interface Counter {
  /** Calls per window; undefined until a credential gives it. */
  limit: number | undefined
  /** The end of the window, in Unix milliseconds. */
  reset: number
  /** How many calls the window has had, as of the last response of Redis. */
  synced: number
  /** Those that are being added to Redis, and until when that may take, in Unix milliseconds. */
  sent: Batch | undefined
  sentUntil: number
  /** Those that come next. */
  open: Batch
}

/** A call that was counted. `used`: how many the window has with it; undefined when only Redis can tell. */
export interface Call {
  used: number | undefined
  batch: Batch
  nth: number
}

/**
 * Counters of one window by caller; those of the window before still give limits. When there are too many, who comes new has
 * none: nobody's calls are forgotten.
 *
 * @param max how many in a window
 */
export function counters(max: number) {
  let window = 0
  let before = new Map<string, Counter>()
  let current = new Map<string, Counter>()
  return {
    /** The counter of a caller at a time in Unix milliseconds; its `limit` when that is known. */
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
    /** Takes note of the limit of a caller. */
    hold(key: string, limit: number): void {
      const known = current.get(key)
      if (known) known.limit = limit
    },
  }
}

function newBatch(): Batch {
  return { size: 0, last: undefined }
}

/** How many calls may pass before they are added to Redis: an eighth of what is left; with those on their way, of the limit. */
function roomOf({ limit, synced, sent }: Counter): number {
  if (limit === undefined || limit < LEAST_LIMIT) return 0
  const onTheirWay = sent?.size ?? 0
  const ofTheRest = Math.floor((limit - synced - onTheirWay) / SHARE)
  return Math.min(ofTheRest, Math.floor(limit / SHARE) - onTheirWay)
}

/** Counts a call. */
export function addCall(counter: Counter): Call {
  const { synced, sent, open } = counter
  const passes = open.size < roomOf(counter)
  open.size += 1
  return { used: passes ? synced + (sent?.size ?? 0) + open.size : undefined, batch: open, nth: open.size }
}

/** Whether the open calls are to be added to Redis. */
export function isDue(counter: Counter): boolean {
  return !counter.sent && counter.open.size >= roomOf(counter)
}

/**
 * Closes the batch of all calls that Redis does not have; one at a time.
 *
 * @param until when it is given up, in Unix milliseconds
 */
export function send(counter: Counter, until: number): Batch {
  const batch = counter.open
  counter.sent = batch
  counter.sentUntil = until
  counter.open = newBatch()
  return batch
}

/**
 * Records the response of Redis. Without one, the calls may have been added: they count until Redis responds.
 *
 * @param total how many calls the window has with the batch; null when Redis was silent
 */
export function recordTotal(counter: Counter, batch: Batch, total: number | null): void {
  if (counter.sent !== batch) return
  counter.synced = total ?? counter.synced + batch.size
  batch.last = total
  counter.sent = undefined
}

/** Gives up a batch whose request was cut off, when its time is over. */
export function giveUp(counter: Counter, now: number): void {
  if (counter.sent && counter.sentUntil <= now) recordTotal(counter, counter.sent, null)
}

/** Which call of its window a call was; null when Redis was silent, undefined while it has not responded. */
export function placeOf({ batch, nth }: Call): number | null | undefined {
  return typeof batch.last === 'number' ? batch.last - batch.size + nth : batch.last
}
