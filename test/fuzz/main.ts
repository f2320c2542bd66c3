import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { flood } from '../support/flood.ts'
import { freshIp, ownStack } from '../support/harness.ts'
import { fuzz } from './run.ts'

const MANY = 50_000
const SEEDS = 2 ** 31

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    from: { type: 'string' },
    'made-up': { type: 'string' },
  },
})
const seed = Number(values.seed ?? randomInt(SEEDS))
const requests = Number(values.requests ?? MANY)
const from = Number(values.from ?? 0)
const only = values.only === undefined ? undefined : Number(values.only)
const credentials = Number(values['made-up'] ?? 0)
const numbers = [seed, requests, from, only ?? 0, credentials]
if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error(
    'usage: npm run test:fuzz -- [--requests 50000] [--seed 123] [--from 30000] [--only 4711] [--made-up 10000]',
  )
  process.exit(2)
}

console.log(`seed ${seed}`)
const own = await ownStack()
try {
  if (credentials > 0) await floodAll()
  else await fuzzAll()
} finally {
  await own.stop()
}

async function fuzzAll(): Promise<void> {
  const began = Date.now()
  const { findings, ...figures } = await fuzz(own, {
    seed,
    requests,
    from,
    only,
    say: (line) => console.log(line),
  })
  console.log({ ...figures, seconds: Math.round((Date.now() - began) / 1000) })
  console.log(findings.length === 0 ? 'no findings' : `${findings.length} findings`)
  if (findings.length > 0) process.exitCode = 1
}

/** Sends made-up credentials, from as many addresses, then from one: no statement may reach Postgres. */
async function floodAll(): Promise<void> {
  const { operator, key, reg } = await own.newReporter()
  const good = [operator.token, key]
  for (const ip of [undefined, freshIp()]) {
    const seen = await flood(own, { count: credentials, seed, good, ...(ip && { ip }) })
    console.log(ip ? 'from one address' : 'from as many addresses', { ...seen, ms: Math.round(seen.ms) })
    if (seen.statements > 0) process.exitCode = 1
    await own.report(key, reg) // valid credentials still work
  }
}
