import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, Refusal, requireData } from '../failure.ts'
import type { RegistryClient, Schemas } from '../registry.ts'

type Delivery = Schemas['Delivery']

const PER_PAGE = 50
const PAGES_MAX = 20
// A delivery is dated before it is written: one that is older than others may show after them.
const LATE_MS = 60_000

interface Followed {
  client: RegistryClient
  slug: string
  pollMs: number
  signal: AbortSignal
  /** Hears that the deliveries that are there are known: what comes from now on is given out. */
  onReady: () => void
  /** Hears why a look at the list has failed; the next one may succeed. */
  onTrouble: (error: Failure) => void
}

/**
 * The deliveries to a platform that are made from now on, each once, oldest first, until the signal.
 *
 * @throws Refusal when the registry refuses the list, as when the session has ended
 */
export async function* follow({
  client,
  slug,
  pollMs,
  signal,
  onReady,
  onTrouble,
}: Followed): AsyncGenerator<Delivery, void> {
  const seen = new Map<string, number>()
  const readPage = async (page: number) => {
    const params = { path: { slug }, query: { page, per_page: PER_PAGE } }
    return requireData(await client.GET('/platforms/{slug}/deliveries', { params })).data
  }
  const timeOf = ({ created_at }: Delivery) => Date.parse(created_at)

  const readFresh = async (oldest: number) => {
    const fresh: Delivery[] = []
    for (let page = 1; page <= PAGES_MAX; page++) {
      const listed = await readPage(page)
      const unseen = listed.filter((one) => !seen.has(one.id) && timeOf(one) >= oldest)
      fresh.push(...unseen)
      if (listed.length < PER_PAGE || unseen.length === 0) break
    }
    return fresh.toReversed().toSorted((a, b) => timeOf(a) - timeOf(b))
  }

  // By the clock of the registry: that of this machine may be off.
  const [newest] = await readPage(1)
  let oldest = newest ? timeOf(newest) - LATE_MS : 0
  for (const one of await readFresh(oldest)) seen.set(one.id, timeOf(one))
  onReady()
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const fresh = await readFresh(oldest).catch((error: unknown) => {
      const isFinal = error instanceof Refusal && error.response.status < 500 && error.response.status !== 429
      if (!(error instanceof Failure) || isFinal) throw error
      onTrouble(error)
      return []
    })
    for (const one of fresh) {
      seen.set(one.id, timeOf(one))
      yield one
    }
    oldest = Math.max(oldest, ...fresh.map((one) => timeOf(one) - LATE_MS))
    for (const [id, at] of seen) if (at < oldest) seen.delete(id)
  }
}
