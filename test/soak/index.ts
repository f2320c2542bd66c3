import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { onInterrupt } from '../../local/interrupt.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { measuredBy } from '../bench/machine.ts'
import { balance, shortfalls } from '../chaos/balance.ts'
import { startLoad } from '../chaos/load.ts'
import { type Plant, startPlant } from '../chaos/plant.ts'
import { newSite } from '../chaos/site.ts'
import { toTable } from '../support/docs-table.ts'
import { bundleWorker } from '../support/workerd.ts'
import { startMix } from './mix.ts'
import { judge, type Sample, takeSample } from './samples.ts'

// A long run with everything concurrently: writes, reads of all routes, jobs, webhooks, and kills of the Worker.

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } })
const MINUTES = Number(values.minutes)
if (!(MINUTES > 0 && MINUTES <= 24 * 60)) throw new Error('--minutes: must be a number, at most 1440')
const RESTARTS = Math.max(1, Math.floor(MINUTES / 5) - 1)
const SAMPLES = 36
const WRITE_PAUSE_MS = 250
const CRON_MS = Math.min(MINUTE_MS, (MINUTES * MINUTE_MS) / 9)
const STARVED_MS = 50 // the machine is overloaded if the reference statement takes longer
const LATE_SHARE = 0.001 // of the requests, which may return 503 because a part exceeded a timeout

delete process.env.DATABASE_URL // the test must not use an external server
const say = (line: string) => process.stderr.write(`${line}\n`)
const interrupted = onInterrupt()
const dir = await mkdtemp(join(tmpdir(), 'registry-soak-'))
let plant: Plant | undefined
try {
  plant = await startPlant(await bundleWorker(dir))
  const { samples, balanced, restarts } = await soak(plant)
  const sum = (figure: 'requests' | 'late', some = samples) =>
    some.reduce((total, sample) => total + sample[figure], 0)
  const [requests, late] = [sum('requests'), sum('late')]
  const unexplained = sum(
    'late',
    samples.filter(({ bare_ms }) => bare_ms <= STARVED_MS),
  )
  const { lines, grown } = judge(samples)
  const table = toTable(['', 'first third of the run', 'last third', 'allowed growth'], lines)
  const story = [
    measuredBy(`npm run test:soak -- --minutes ${MINUTES}`),
    `${balanced.sent} writes and ${requests} other requests; the Worker was killed ${restarts} times. ${late} requests returned 503, ${late - unexplained} of them while the reference statement took more than ${STARVED_MS} ms.`,
    `Writes lost: ${balanced.lost}; stored twice: ${balanced.doubled}. ${balanced.arrived} of ${balanced.expected} webhooks were delivered, and ${balanced.leaves} of ${balanced.events} events are in the transparency log.`,
  ].join(' ')
  process.stdout.write(`${story}\n\n${table}\n`)
  const wrong = [...samples.flatMap(({ breaches }) => breaches), ...grown, ...shortfalls(balanced)]
  if (unexplained > LATE_SHARE * requests + 1)
    wrong.push(`${unexplained} of ${requests} requests returned 503`)
  for (const line of wrong.slice(0, 20)) say(`FAILED ${line}`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  await plant?.stop()
  await rm(dir, { recursive: true, force: true })
}
process.exit()

async function soak(at: Plant) {
  const site = await newSite(at)
  const load = startLoad(at, site, WRITE_PAUSE_MS)
  await load.succeeded(20)
  await at.cron(new Date()) // signs a head, so that the log can be read
  const mix = await startMix(at, site)
  const samples: Sample[] = []
  const began = Date.now()
  const endsAt = began + MINUTES * MINUTE_MS
  let nextCron = began + CRON_MS
  let restarts = 0
  try {
    while (Date.now() < endsAt) {
      interrupted.throwIfAborted()
      if (Date.now() >= nextCron) {
        nextCron += CRON_MS
        await at.cron(new Date()).catch(() => say('the Worker was killed during a run of the jobs'))
      }
      if (Date.now() - began > ((restarts + 1) * MINUTES * MINUTE_MS) / (RESTARTS + 1)) {
        restarts += 1
        await at.worker.kill()
        await at.worker.start()
      }
      await sleep((MINUTES * MINUTE_MS) / SAMPLES)
      const sample = await takeSample(at, mix.take())
      samples.push(sample)
      say(progressOf(sample, Math.round((Date.now() - began) / 1000)))
    }
  } finally {
    await mix.stop()
    await load.stop()
  }
  return { samples, restarts, balanced: await balance(at, site, load) }
}

function progressOf(sample: Sample, seconds: number): string {
  const { worker_mib, connections, dead_rows, requests, p50_ms, p99_ms, bare_ms, load } = sample
  return `${seconds} s: Worker ${worker_mib.toFixed(0)} MiB, ${connections} connections, ${dead_rows} dead rows, ${requests} requests, p50 ${p50_ms.toFixed(1)} ms, p99 ${p99_ms.toFixed(0)} ms, reference ${bare_ms.toFixed(2)} ms, load ${load.toFixed(1)}`
}
