import { holdCalls } from '../../../local/stand-ins/serve.ts'
import { type Fault, require, type Scene } from '../fault.ts'
import { call, newOperator } from '../site.ts'

const LONGER_THAN_REDIS_MS = 400
const LONGER_THAN_THE_REQUEST_MS = 6_000
const LONGER_THAN_PUBLISHING_MS = 11_000
const RESPONSE_MAX_MS = 9_000 // the deadline of 5 s, plus time for a busy machine
const SETTLED_MS = 10_000
const KYC = '/operators/me/kyc/start'

export const providersAway: Fault = {
  name: 'identity and KYC providers down',
  failedWrites: 'none',
  async strike(scene) {
    const { plant, site, load } = scene
    await plant.providers.kill()
    await expectInTime(scene)
    const signedIn = await newOperator(plant).catch(String)
    require(typeof signedIn === 'string', 'a sign-in succeeded without the provider')
    await load.succeeded(40)
    await plant.providers.start()
    await newOperator(plant)
    const started = await call(plant, KYC, { token: site.session })
    require(started?.status === 200, `KYC after the outage: ${started?.status} ${started?.text}`)
    const { verification_url } = JSON.parse(started?.text ?? '{}')
    await fetch(verification_url, { method: 'POST', body: new URLSearchParams({ outcome: 'approve' }) })
    await eventOf(scene, 'operator.kyc_verified')
  },
}

export const stepsDelayed: Fault = {
  name: 'every network step delayed until it times out',
  failedWrites: 'some',
  async strike(scene) {
    const { plant, load } = scene
    const { redis, neon, qstash } = plant.links
    plant.receiver.respond((n) => (n <= 2 ? 'hang' : 200))
    qstash.set({ responseDelayMs: LONGER_THAN_PUBLISHING_MS })
    redis.set({ responseDelayMs: LONGER_THAN_REDIS_MS })
    await load.succeeded(30)
    redis.heal()
    neon.set({ responseDelayMs: LONGER_THAN_THE_REQUEST_MS })
    await load.failed(6)
    neon.set({ responseDelayMs: 0, requestDelayMs: LONGER_THAN_THE_REQUEST_MS })
    await load.failed(6)
    neon.heal()
    qstash.heal()
    await load.succeeded(20)
    holdCalls(LONGER_THAN_THE_REQUEST_MS)
    try {
      await expectInTime(scene)
    } finally {
      holdCalls(0)
    }
    require(load.slowestMs < RESPONSE_MAX_MS, `a client waited ${Math.round(load.slowestMs)} ms`)
  },
}

export const connectionsReset: Fault = {
  name: 'connections reset in the middle of a response',
  failedWrites: 'some',
  async strike({ plant, load }) {
    const { front, neon, postgres, redis, qstash, receiver } = plant.links
    for (const link of [front, neon, postgres]) {
      link.set({ halved: 0.5 })
      await load.failed(8)
      link.heal()
      await load.succeeded(8)
    }
    for (const link of [redis, qstash, receiver]) {
      link.set({ halved: 0.5 })
      await load.succeeded(30)
      link.heal()
    }
  },
}

/**
 * Expects that sign-ins and checks fail in time without the providers. A Worker that has cached the provider's
 * documents can still redirect to it.
 */
async function expectInTime({ plant, site }: Scene): Promise<void> {
  const ask = async (path: string, statuses: number[], init: RequestInit) => {
    const signal = AbortSignal.timeout(RESPONSE_MAX_MS)
    const response = await fetch(`${plant.baseUrl}/api/v1${path}`, { redirect: 'manual', signal, ...init })
    const { status } = response
    const said = `${path} without its provider: ${status} ${await response.text()}`
    require(statuses.includes(status) && (status !== 503 || response.headers.has('retry-after')), said)
  }
  const authorization = { Authorization: `Bearer ${site.session}` }
  await Promise.all([
    ask('/auth/sign-in', [302, 503], { headers: { 'CF-Connecting-IP': '10.0.0.1' } }),
    ask(KYC, [503], { method: 'POST', headers: authorization }),
  ])
}

async function eventOf({ plant }: Scene, type: string): Promise<void> {
  for (const until = Date.now() + SETTLED_MS; Date.now() < until; ) {
    const rows = await plant.sql('select 1 from webhook_events where type = $1', [type])
    if (rows.length > 0) return
  }
  throw new Error(`no event ${type}`)
}
