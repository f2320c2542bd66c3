import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type StartedProxy, startProxy } from '../../support/proxy.ts'
import type { TestStack } from '../../support/stack.ts'
import { settingsOf } from '../../support/worker-settings.ts'
import { bundleWorker, startBare } from '../../support/workerd.ts'

/** Round trips in ms: within the region of the database, and from a caller to the nearest edge. */
export const REGION_MS = 2
export const EDGE_MS = 10

/** A caller, the nearest edge, and the region of the database, with two Workers. */
export interface World {
  /** The URLs of the Worker next to the database, of the Worker at the edge, and of a cache at the edge, for the caller. */
  urls: { beside: string; edge: string; cache: string }
  /**
   * Sets the round trip between the caller and the region, in ms.
   *
   * @param opens whether the Worker at the edge has to open its connections to the region: TCP and TLS are two more
   */
  move(roundTripMs: number, opens?: boolean): void
  stop(): Promise<void>
}

/**
 * Connects the parts of a stack through proxies, which add the round trip between two of them.
 *
 * @param stack not used by anything else; its own Worker is stopped
 */
export async function startWorld(stack: TestStack): Promise<World> {
  const stops: (() => Promise<unknown>)[] = []
  const proxied = async (target: string) => {
    const proxy = await startProxy(target)
    stops.push(proxy.stop)
    return proxy
  }
  const bundle = await bundleWorker(stack.dir)
  await stack.worker.kill()
  const settings = settingsOf(stack.dir)
  const region = await Promise.all([stack.neon_sql_url, stack.redis_rest_url].map(proxied))
  const across = await Promise.all([stack.neon_sql_url, stack.redis_rest_url].map(proxied))
  const worker = async ([neon, redis]: readonly StartedProxy[], port?: number) => {
    const vars = {
      ...settings,
      NEON_SQL_URL: neon?.url ?? '',
      UPSTASH_REDIS_REST_URL: redis?.url ?? '',
    }
    const started = await startBare(bundle, vars, port ? { port } : {})
    stops.push(started.kill)
    return started
  }
  const beside = await worker(region, Number(new URL(stack.base_url).port))
  const edge = await worker(across)
  const cache = await startCache(beside.url)
  stops.push(cache.stop)
  const toRegion = await proxied(beside.url)
  const [toEdge, toCache] = await Promise.all([edge.url, cache.url].map(proxied))
  if (!toEdge || !toCache) throw new Error('a proxy is missing')
  for (const proxy of region) delay(proxy, REGION_MS)
  for (const proxy of [toEdge, toCache]) delay(proxy, EDGE_MS)
  return {
    urls: { beside: toRegion.url, edge: toEdge.url, cache: toCache.url },
    move(roundTripMs, opens = false) {
      delay(toRegion, roundTripMs)
      const left = roundTripMs - EDGE_MS // the edge lies on the way
      for (const proxy of across) delay(proxy, left, opens ? 2 * left : 0)
    },
    async stop() {
      for (const stop of stops.reverse()) await stop()
    },
  }
}

function delay(proxy: StartedProxy, roundTripMs: number, beforeMs = 0): void {
  const half = roundTripMs / 2
  proxy.set({ requestDelayMs: Math.ceil(half) + beforeMs, responseDelayMs: Math.floor(half) })
}

/** A shared cache, which follows the Cache-Control header of the responses. */
async function startCache(target: string): Promise<{ url: string; stop(): Promise<void> }> {
  const kept = new Map<string, { text: string; until: number }>()
  const server = createServer(async ({ url: path = '/' }, response) => {
    const known = kept.get(path)
    if (known && Date.now() < known.until) return void response.end(known.text)
    const fresh = await fetch(target + path, { headers: { 'CF-Connecting-IP': '10.0.0.1' } })
    const text = await fresh.text()
    const [, seconds] = /^public, max-age=(\d+)/.exec(fresh.headers.get('cache-control') ?? '') ?? []
    if (fresh.ok && seconds) kept.set(path, { text, until: Date.now() + 1000 * Number(seconds) })
    response.writeHead(fresh.status).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
