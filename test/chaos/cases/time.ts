import { type Fault, pileUp, require, type Scene } from '../fault.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const RUNS = 3

export const cronTwice: Fault = {
  name: 'concurrent runs of the jobs',
  failedWrites: 'none',
  async strike(scene) {
    const { plant, load } = scene
    await pileUp(scene)
    for (const ms of [2 * MINUTE_MS, 4 * MINUTE_MS, DAY_MS]) {
      const at = new Date(Date.now() + ms)
      await Promise.all(Array.from({ length: RUNS }, () => plant.cron(at)))
      await load.succeeded(20)
    }
    await expectOneSequence(scene)
  },
}

export const clockWrong: Fault = {
  name: 'clock one day ahead, then one day behind',
  failedWrites: 'some',
  async strike({ plant, load }) {
    for (const shiftMs of [0, DAY_MS, -DAY_MS]) {
      load.shiftMs = shiftMs
      plant.links.front.set({ halved: 0.5 })
      await load.failed(8)
      plant.links.front.heal()
      await plant.cron(new Date(Date.now() + (shiftMs || DAY_MS)))
      await load.succeeded(40)
    }
    load.shiftMs = 0
    // Writes from the future are repeated at the real time. The others keep theirs, because their keys would have expired.
    for (const write of load.writes) if (write.now && write.now > new Date()) write.now = null
  },
}

/**
 * Expects that each score was sent once: the previous score of every event but the first is the new score of another.
 * Concurrent runs may both send events of one agent, whose order is not defined.
 */
async function expectOneSequence({ plant }: Scene): Promise<void> {
  const reported: { reg: string; previous: string | null; next: string }[] = await plant.sql(
    `select data->>'reg' as reg, data->>'previous_score' as previous, data->>'new_score' as next
     from webhook_events where type = 'trust.updated' order by created_at, id`,
  )
  require(reported.length > 0, 'no score was reported')
  for (const [reg, events] of Map.groupBy(reported, (event) => event.reg)) {
    const begun = events.map(({ previous }) => previous)
    for (const { next } of events) if (begun.includes(next)) begun.splice(begun.indexOf(next), 1)
    require(begun.length <= 1, `${reg}: ${JSON.stringify(events)}`)
  }
}
