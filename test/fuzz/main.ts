import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ownStack } from '../harness.ts'
import { fuzz } from './run.ts'

const MANY = 50_000
const SEEDS = 2 ** 31

const { values } = parseArgs({
  options: { requests: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? randomInt(SEEDS))
const requests = Number(values.requests ?? MANY)
const only = values.only === undefined ? undefined : Number(values.only)
if (![seed, requests, only ?? 0].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error('usage: npm run test:fuzz -- [--requests 50000] [--seed 123] [--only 4711]')
  process.exit(2)
}

console.log(`seed ${seed}`)
const own = await ownStack()
try {
  const began = Date.now()
  const { findings, ...figures } = await fuzz(own, { seed, requests, only, say: (line) => console.log(line) })
  console.log({ ...figures, seconds: Math.round((Date.now() - began) / 1000) })
  for (const finding of findings) console.log(finding)
  console.log(findings.length === 0 ? 'no findings' : `${findings.length} findings`)
  if (findings.length > 0) process.exitCode = 1
} finally {
  await own.stop()
}
