import { holdCalls } from '../../../local/stand-ins/serve.ts'
import { API } from '../../support/document.ts'
import { eventually } from '../../support/fill.ts'
import { ask } from '../../support/load/ask.ts'
import { openLedger } from '../../support/load/ledger.ts'
import { type Fault, require, type Scene } from '../fault.ts'

const LONGER_THAN_REDIS_MS = 400
const LONGER_THAN_THE_REQUEST_MS = 6_000
const LONGER_THAN_PUBLISHING_MS = 11_000
const RESPONSE_MAX_MS = 9_000 // the deadline of 5 s, plus time for a busy machine
const KYC = '/operators/me/kyc/start'

export const providersAway: Fault = {
  name: 'identity and KYC providers down',
  failedWrites: 'none',
  async strike(scene) {
    const { plant, site, load } = scene
    await plant.providers.kill()
    await expectInTime(scene)
    const signedIn = await plant.signInByMail().catch(String)
    require(typeof signedIn === 'string', 'a sign-in succeeded without the provider')
    await load.succeeded(40)
    await plant.providers.start()
    await plant.signInByMail()
    const { status, text, body } = await plant.api('POST', KYC, { token: site.operator.token })
    require(status === 200, `KYC after the outage: ${status} ${text}`)
    await fetch(body.verification_url, { method: 'POST', body: new URLSearchParams({ outcome: 'approve' }) })
    const verified = () => plant.sql(`select 1 from webhook_events where type = 'operator.kyc_verified'`)
    await eventually(verified, (rows) => rows.length > 0)
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
    const { slowest_ms } = load.ledger
    require(slowest_ms < RESPONSE_MAX_MS, `a client waited ${slowest_ms} ms`)
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
  const ledger = openLedger()
  const expect = async (path: string, statuses: number[], call: Parameters<typeof ask>[1]) => {
    const response = await ledger.record(ask(plant.base_url + API + path, call))
    const { status = 0, text, headers } = response ?? {}
    const said = `${path} without its provider: ${status} ${text}`
    require(statuses.includes(status) && (status !== 503 || headers?.has('retry-after') === true), said)
  }
  await Promise.all([
    expect('/auth/sign-in', [302, 503], {}),
    expect(KYC, [503], { method: 'POST', token: site.operator.token }),
  ])
  require(ledger.slowest_ms < RESPONSE_MAX_MS, `without its provider: ${ledger.slowest_ms} ms`)
}
