import { setTimeout as sleep } from 'node:timers/promises'
import type { Fate, Piece } from '../../support/proxy.ts'
import type { Fault, Scene } from '../fault.ts'
import { pileUp, require } from '../fault.ts'

const MINUTE_MS = 60_000
const NOTICED_MS = 15_000
const SWEEP = 'outbox_sweep'

/** The statements during which Postgres is killed. */
const IN_POSTGRES = ['append_events(', 'insert into \\"agents\\"', 'insert into webhook_attempts']

export const postgresKilled: Fault = {
  name: 'Postgres killed by SIGKILL, restarted',
  failedWrites: 'some',
  async strike({ plant, load }) {
    for (const statement of IN_POSTGRES) {
      const { promise: killed, resolve } = Promise.withResolvers<void>()
      plant.links.neon.set({
        before: ({ body }) => {
          if (body.includes(statement)) resolve(plant.postgres.kill())
          return undefined
        },
      })
      await within(killed, statement)
      plant.links.neon.heal()
      await load.failed(12)
      await plant.postgres.start()
      await load.succeeded(15)
    }
  },
}

export const redisKilled: Fault = {
  name: 'Redis killed, restarted empty',
  failedWrites: 'none',
  async strike({ plant, load }) {
    await plant.redis.kill()
    await load.succeeded(60)
    await plant.redis.start()
  },
}

export const qstashKilled: Fault = {
  name: 'QStash killed, unavailable for one simulated hour',
  failedWrites: 'none',
  async strike({ plant, load }) {
    const killedAt = Date.now()
    await plant.qstash.kill()
    const before = plant.receiver.received.length
    await load.succeeded(60)
    for (const minutes of [15, 30, 45]) {
      const failure = await plant.cron(new Date(killedAt + minutes * MINUTE_MS)).catch(String)
      require(String(failure).includes(SWEEP), `the sweep without QStash: ${failure}`)
    }
    require(plant.receiver.received.length - before <= 10, 'webhooks arrived without QStash')
    await plant.qstash.start()
    const now = new Date(killedAt + 60 * MINUTE_MS).toISOString()
    await plant.qstash.setClock({ mode: 'virtual', now })
  },
}

/** Where the Worker is killed in a request: before its write, or after it and before the response. */
const IN_REQUESTS = [
  { statement: 'append_events(', isDone: false },
  { statement: 'append_events(', isDone: true },
  { statement: 'insert into \\"agents\\"', isDone: true },
  { statement: 'insert into webhook_attempts', isDone: true },
]

export const workerKilledInRequests: Fault = {
  name: 'Worker killed in the middle of requests',
  failedWrites: 'some',
  async strike(scene) {
    const { neon } = scene.plant.links
    for (const { statement, isDone } of IN_REQUESTS) {
      await killAt(scene, statement, (hear) =>
        neon.set(
          isDone
            ? { after: ({ body }) => (body.includes(statement) ? hear() : undefined) }
            : { before: ({ body }) => (body.includes(statement) ? hear() : undefined) },
        ),
      )
      await scene.load.succeeded(15)
    }
  },
}

/** Where the Worker is killed in a run of the jobs. */
const IN_JOBS = [
  { link: 'neon', text: 'tlog_append_events(', when: 'before' },
  { link: 'neon', text: 'tlog_append_events(', when: 'after' },
  { link: 'redis', text: 'then return known end', when: 'before' },
  { link: 'redis', text: 'then return known end', when: 'after' },
  { link: 'neon', text: 'as h (day, size, root', when: 'before' },
  { link: 'neon', text: 'as h (day, size, root', when: 'after' },
  { link: 'neon', text: 'insert into trust_scores', when: 'before' },
  { link: 'neon', text: 'with recursive waiting', when: 'before' },
  { link: 'qstash', text: '/v2/batch', when: 'before' },
  { link: 'neon', text: 'publish_count = d.publish_count + 1', when: 'before' },
  { link: 'neon', text: 'job_runs', when: 'before' },
] as const

export const workerKilledInJobs: Fault = {
  name: 'Worker killed in the middle of jobs',
  failedWrites: 'some',
  async strike(scene) {
    const { plant, load } = scene
    await pileUp(scene)
    for (const { link, text, when } of IN_JOBS) {
      let failure: Promise<unknown> = Promise.resolve()
      await killAt(scene, text, (hear) => {
        plant.links[link].set({
          [when]: ({ path, body }: Piece) => (`${path} ${body}`.includes(text) ? hear() : undefined),
        })
        failure = plant.cron(new Date(Date.now() + 2 * MINUTE_MS)).catch(String)
      })
      require(String(await failure).includes('jobs'), `the jobs succeeded without a Worker at: ${text}`)
      await load.succeeded(10)
    }
  },
}

/** Kills the Worker at the first request that matches, which is not passed on, and starts it again. */
async function killAt({ plant }: Scene, what: string, listen: (hear: () => Fate) => void): Promise<void> {
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  listen(() => {
    resolve()
    return 'silent'
  })
  await within(heard, what)
  await plant.worker.kill()
  plant.links.neon.heal()
  plant.links.qstash.heal()
  plant.links.redis.heal()
  await plant.worker.start()
}

async function within(heard: Promise<void>, what: string): Promise<void> {
  const isHeard = await Promise.race([heard.then(() => true), sleep(NOTICED_MS, false)])
  require(isHeard, `the Worker never reaches: ${what}`)
}
