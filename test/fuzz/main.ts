import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ownStack } from '../support/harness.ts'
import { fuzz } from './run.ts'

const MANY = 50_000
const SEEDS = 2 ** 31

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
  },
})
const seed = Number(values.seed ?? randomInt(SEEDS))
const requests = Number(values.requests ?? MANY)
const only = values.only === undefined ? undefined : Number(values.only)
const numbers = [seed, requests, only ?? 0]
if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error('usage: npm run test:fuzz -- [--requests 50000] [--seed 123] [--only 4711]')
  process.exit(2)
}

console.log(`seed ${seed}`)
const own = await ownStack()
try {
  await fuzzAll()
} finally {
  await own.stop()
}

async function fuzzAll(): Promise<void> {
  const began = Date.now()
  const say = (line: string) => console.log(line)
  const { breaches, sent, statuses, slowest_ms } = await fuzz(own, { seed, requests, only, say })
  console.log({ sent, statuses, slowest_ms, seconds: Math.round((Date.now() - began) / 1000) })
  console.log(breaches.length === 0 ? 'no findings' : `${breaches.length} findings`)
  if (breaches.length > 0) process.exitCode = 1
}
