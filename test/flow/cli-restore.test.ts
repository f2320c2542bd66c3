import { afterAll, expect, it } from 'vitest'
import { jsonOf, newCli } from '../support/cli.ts'
import { ownStack } from '../support/harness.ts'
import { timeTravel } from '../support/set-back.ts'

const own = await ownStack()
afterAll(own.stop)

it('an agent verifies after a restore that lost part of its log', async () => {
  const { keepState, setBack, resume } = timeTravel(own.database_url)
  const { key, reg } = await own.newReporter()
  for (let n = 0; n < 12; n++) await own.report(key, reg)
  await own.cron()
  await keepState()
  for (let n = 0; n < 5; n++) await own.report(key, reg, { event_type: 'task_failed' })
  await own.cron()
  await using cli = await newCli(own.base_url)
  const before = jsonOf(await cli.run('verify', reg, '--json'))
  expect(before).toMatchObject({ verdict: 'verified', score: { events_considered: 17 } })

  await setBack()
  await own.report(key, reg)
  const behind = await cli.run('verify', reg)
  expect(behind.status).not.toBe(1)
  await resume()
  await own.cron()
  const after = jsonOf(await cli.run('verify', reg, '--json'))
  expect(after).toMatchObject({ verdict: 'verified', score: { events_considered: 13 } })
})
