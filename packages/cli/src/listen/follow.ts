import { setTimeout as sleep } from 'node:timers/promises'
import { type RegistryClient, type Schemas, unwrap } from '../../../client/index.ts'
import { isTemporary, messageOf } from '../failure.ts'

type Delivery = Schemas['Delivery']
type Detail = Schemas['DeliveryDetail']

const PER_PAGE = 50
const PAGES_MAX = 20
// The time of a delivery is set before it is stored, so that an older one may appear after newer ones.
const LATE_MS = 60_000

interface Followed {
  client: RegistryClient
  slug: string
  pollMs: number
  signal: AbortSignal
  /** Whether to yield a delivery. */
  isWanted: (delivery: Delivery) => boolean
  /** Called when the existing deliveries are read; later ones are yielded. */
  onReady: () => void
  /** Receives why a request failed; the next one may succeed. */
  onTrouble: (message: string) => void
}

/**
 * Yields each new delivery to a platform once, with its payload, oldest first, until the signal.
 *
 * @throws RegistryError when the registry rejects a request, for example because the session has ended
 */
export async function* follow({
  client,
  slug,
  pollMs,
  signal,
  isWanted,
  onReady,
  onTrouble,
}: Followed): AsyncGenerator<Detail, void> {
  const seen = new Map<string, number>()
  const readPage = async (page: number) => {
    const params = { path: { slug }, query: { page, per_page: PER_PAGE } }
    return (await unwrap(client.GET('/platforms/{slug}/deliveries', { params }))).data
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

  const readDetail = (id: string) =>
    unwrap(client.GET('/platforms/{slug}/deliveries/{id}', { params: { path: { slug, id } } }))
  /** Reports a temporary failure, which the next attempt may fix; throws others. */
  const orNull = <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      if (!isTemporary(error)) throw error
      onTrouble(messageOf(error))
      return null
    })

  // Uses the clock of the registry, as that of this machine may be wrong.
  const [newest] = await readPage(1)
  let oldest = newest ? timeOf(newest) - LATE_MS : 0
  for (const one of await readFresh(oldest)) seen.set(one.id, timeOf(one))
  onReady()
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    for (const one of (await orNull(readFresh(oldest))) ?? []) {
      const detail = isWanted(one) ? await orNull(readDetail(one.id)) : undefined
      if (detail === null) break
      seen.set(one.id, timeOf(one))
      oldest = Math.max(oldest, timeOf(one) - LATE_MS)
      if (detail) yield detail
    }
    for (const [id, at] of seen) if (at < oldest) seen.delete(id)
  }
}
