/** The account of a run: what was sent, which responses came, and what is wrong. */
export interface Ledger {
  sent: number
  /** The number of responses by status. */
  statuses: Record<number, number>
  /** How long each response took. */
  latencies: number[]
  /** The longest wait, also for a response that never came. */
  slowest_ms: number
  /** What must not be, one line each. */
  breaches: string[]
  /** Records a request that is being sent, and returns its response. */
  record<Response extends { status: number } | null>(request: Promise<Response>): Promise<Response>
}

export function openLedger(): Ledger {
  const ledger: Ledger = {
    sent: 0,
    statuses: {},
    latencies: [],
    slowest_ms: 0,
    breaches: [],
    async record(request) {
      const began = performance.now()
      const response = await request
      const ms = performance.now() - began
      ledger.sent += 1
      ledger.slowest_ms = Math.max(ledger.slowest_ms, Math.round(ms))
      if (!response) return response
      ledger.latencies.push(ms)
      ledger.statuses[response.status] = (ledger.statuses[response.status] ?? 0) + 1
      return response
    },
  }
  return ledger
}

/** What was sent compared with what is found. */
interface Compared {
  lost: string[]
  doubled: string[]
  /** Found, but not sent. */
  unexpected: string[]
}

/**
 * Compares the marks of what was sent with the marks that are found, each of which should be there once.
 *
 * @param found every mark, as often as it is found
 */
export function compare(sent: Iterable<string>, found: Iterable<string>): Compared {
  const times = new Map<string, number>()
  for (const mark of found) times.set(mark, (times.get(mark) ?? 0) + 1)
  const marks = new Set(sent)
  return {
    lost: [...marks].filter((mark) => !times.has(mark)),
    doubled: [...marks].filter((mark) => (times.get(mark) ?? 0) > 1),
    unexpected: [...times.keys()].filter((mark) => !marks.has(mark)),
  }
}
