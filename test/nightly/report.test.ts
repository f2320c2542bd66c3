import { expect, it } from 'vitest'
import { jsonOf } from '../support/cli.ts'
import { ownStack } from '../support/harness.ts'
import { reportWithKills, storedOf } from '../support/report-file.ts'

const EVENTS = 100_000
const SECOND_MS = 1_000

it('each of 100,000 events in a file is stored once, although the command is killed twice', async () => {
  await using h = await ownStack()
  const { regs, last, tookMs, batches } = await reportWithKills(h, { events: EVENTS, kills: [23, 71] })
  expect(last).toMatchObject({ status: 0, err: '' })
  expect(jsonOf(last)).toMatchObject({ lines: EVENTS, rejected: 0, is_complete: true })
  expect(await storedOf(h, regs)).toEqual({ events: EVENTS, numbers: EVENTS, agents: 10 })
  const took = tookMs.map((ms) => `${(ms / SECOND_MS).toFixed(1)} s`).join(', ')
  console.log(`${EVENTS} events in ${batches} requests; the three runs took ${took}`)
})
