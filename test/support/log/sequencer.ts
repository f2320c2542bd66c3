import { runCron } from '../../../local/cron.ts'
import { openCheckpoint, parsePolicy } from '../../../packages/verify/index.ts'
import type { ownStack } from '../harness.ts'
import { type Fate, type Piece, startProxy } from '../proxy.ts'
import { settingsOf } from '../worker-settings.ts'

type Own = Awaited<ReturnType<typeof ownStack>>

/** When a Worker is killed: before or after a request to a part, which is identified by a substring of its body. */
export interface Point {
  part: 'neon' | 'redis' | 'witness'
  when: 'before' | 'after'
  text: string
}

type Hold = (piece: Piece) => Promise<Fate | undefined> | undefined

/**
 * Starts a Worker that runs the jobs of a stack, whose connections to the database, Redis and a witness can be cut.
 *
 * @param database another database on the same server; default: that of the stack
 */
export async function startSequencer(own: Own, database?: string) {
  const settings = settingsOf(own.dir)
  const { body: info } = await own.api('GET', '//log/info.json')
  await fetch(`${own.witness_url}/logs`, { method: 'PUT', body: JSON.stringify(info.vkeys) })
  const { vkey } = (await (await fetch(own.witness_url)).json()) as { vkey: string }
  const state = { point: null as Point | null, isDead: false, hold: null as Hold | null }

  const heard = (part: Point['part'], when: Point['when']) => (piece: Piece) => {
    const { point } = state
    if (point?.part === part && point.when === when && piece.body.includes(point.text)) state.isDead = true
    if (state.isDead) return 'cut'
    return part === 'redis' && when === 'before' ? state.hold?.(piece) : undefined
  }
  const proxyTo = (part: Point['part'], url: string) =>
    startProxy(url, { before: heard(part, 'before'), after: heard(part, 'after') })
  const neon = await proxyTo('neon', own.neon_sql_url)
  const redis = await proxyTo('redis', own.redis_rest_url)
  const witness = await proxyTo('witness', own.witness_url)
  const worker = await own.variant({
    NEON_SQL_URL: neon.url,
    UPSTASH_REDIS_REST_URL: redis.url,
    LOG_WITNESSES: `witness w1 ${vkey} ${witness.url}`,
    ...(database && {
      DATABASE_URL: Object.assign(new URL(settings.DATABASE_URL ?? ''), { pathname: `/${database}` }).href,
    }),
  })
  const policy = await parsePolicy(`log ${info.vkeys[0]}\nwitness w1 ${vkey} ${own.witness_url}\nquorum w1`)

  return {
    ...worker,
    redis,
    witness,
    /** Runs the jobs; false if any of them failed. */
    run: (now = new Date()) =>
      runCron(worker.url, now).then(
        () => true,
        () => false,
      ),
    /** Runs the jobs with a Worker that dies at a point, then restarts it; returns whether it reached the point. */
    async dieAt(point: Point, now = new Date()): Promise<boolean> {
      state.point = point
      await runCron(worker.url, now).catch(() => undefined)
      const { isDead } = state
      Object.assign(state, { point: null, isDead: false })
      return isDead
    },
    /** Sets a function that receives each request to Redis before it is forwarded. */
    hold(hold: Hold | null) {
      state.hold = hold
    },
    /** The published head, which the witness must have cosigned. */
    async head() {
      const { text } = await worker.api('GET', '//log/checkpoint')
      const { checkpoint, reason } = await openCheckpoint(text, policy)
      if (!checkpoint) throw new Error(`${reason}: ${text}`)
      return { size: checkpoint.size, root: Buffer.from(checkpoint.root).toString('base64') }
    },
    stop: async () => {
      await worker.stop()
      await Promise.all([neon.stop(), redis.stop(), witness.stop()])
    },
  }
}
