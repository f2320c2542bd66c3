import { beforeAll, describe, expect, it } from 'vitest'
import { newCli } from '../support/cli.ts'
import { unknownReg } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { untilVerified } from '../support/logged.ts'

const h = shared()
const CHECKS =
  'score token checkpoint entries profile incidents days counters standing keys events history'.split(' ')

let reg: string
let suspended: string

const reportTasks = (key: string, reg: string, count: number) => {
  const task = { reg, event_type: 'task_completed', metadata: { quality: 0.9, response_ms: 900 } }
  return h.reportBatch(key, Array(count).fill(task))
}

beforeAll(async () => {
  const [first, second] = await Promise.all([h.newReporter(), h.newReporter()])
  for (const one of [first, second]) await reportTasks(one.key, one.reg, 12)
  await h.suspend(second.operator)
  for (const one of [first, second]) await untilVerified(h, one.reg)
  reg = first.reg
  suspended = second.reg
})

describe('agentreg verify', () => {
  it('verifies an agent, and with --require-active also that its operator is not suspended, and knows no other', async () => {
    await using cli = await newCli(h.base_url)
    const plain = await cli.run('verify', reg.toLowerCase(), '--require-active')
    expect(plain).toMatchObject({ status: 0, err: '', out: expect.stringContaining(`${reg}  verified`) })
    for (const name of CHECKS) expect(plain.out).toMatch(new RegExp(`^${name} +ok +\\S`, 'm'))
    const other = await cli.run('verify', suspended)
    expect(other).toMatchObject({ status: 0, out: expect.stringContaining('its operator is suspended') })
    expect(await cli.run('verify', suspended, '--require-active')).toMatchObject({ status: 1 })
    const unknown = await cli.run('verify', unknownReg())
    expect(unknown).toMatchObject({ status: 1, err: '', out: expect.stringContaining('  unknown_agent: ') })
  })

  it('opens with the key of a platform the events since the agent joined it, and does not take them for the whole log', async () => {
    const { operator, key, reg: member } = await h.newReporter()
    await reportTasks(key, member, 60)
    const { slug } = await h.newPlatform(operator)
    const { token } = operator
    const patched = await h.api('PATCH', `/agents/${member}`, { token, body: { platform_slug: slug } })
    expect(patched.status).toBe(200)
    const ofPlatform = await h.newPlatformKey(operator, slug)
    await reportTasks(ofPlatform.key, member, 2)
    await untilVerified(h, member)
    await using cli = await newCli(h.base_url)
    const told = await cli.run('verify', member, '--key', ofPlatform.key)
    expect(told).toMatchObject({ status: 0, out: expect.stringContaining(`${member}  verified`) })
    expect(told.out).toContain("the key is not that of the agent's operator: it cannot open 12 events")
  })
})
