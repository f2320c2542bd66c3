import { expect, it } from 'vitest'
import { readMigrations } from '../../scripts/migrate/run.ts'
import { FOLDER } from '../../scripts/migrate.ts'
import { JOBS } from '../../src/jobs/index.ts'
import { shared } from '../support/harness.ts'

const { api, cron, newReporter, report } = shared()

it('says that it lives, without a rate-limit header', async () => {
  const response = await api('GET', '//health')
  expect(response).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(response.headers.get('x-ratelimit-limit')).toBeNull()
})

it('says which of its parts are ready', async () => {
  const { key, reg } = await newReporter()
  await report(key, reg)
  const { status, headers, body } = await api('GET', '//ready')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  const age = expect.toSatisfy((seconds) => seconds === null || seconds >= 0)
  expect(body).toEqual({
    status: 'ok',
    postgres: 'ok',
    redis: 'ok',
    qstash: 'ok',
    jobs: expect.any(Object),
    oldest_pending_delivery_seconds: age,
    oldest_unscored_agent_seconds: age,
    oldest_unlogged_event_seconds: age,
    oldest_pending_mail_seconds: age,
    log: { size: expect.any(Number), signed_size: expect.any(Number), state: 'ok' },
    version: null, // the runtime alone knows none
    migrations: readMigrations(FOLDER).length,
    checked_at: expect.stringMatching(/Z$/),
  })
})

it('says of every job when it last succeeded', async () => {
  await cron()
  const began = Date.now()
  const { body } = await api('GET', '//ready', { now: new Date(began + 3_600_000) })
  expect(Object.keys(body.jobs).sort()).toEqual(Object.keys(JOBS).sort())
  for (const [job, at] of Object.entries<string>(body.jobs)) {
    expect(began - Date.parse(at), job).toBeLessThan(120_000)
  }
})
