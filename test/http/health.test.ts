import { readMigrationFiles } from 'drizzle-orm/migrator'
import { expect, it } from 'vitest'
import { MIGRATIONS_FOLDER } from '../../scripts/migrate/migrations.ts'
import { JOBS } from '../../src/jobs/index.ts'
import { shared } from '../support/harness.ts'

const { api, cron, newReporter, report } = shared()

it('/health returns ok, without rate-limit headers', async () => {
  const response = await api('GET', '//health')
  expect(response).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(response.headers.get('x-ratelimit-limit')).toBeNull()
})

it('/ready returns the state of each service, and when each job last succeeded', async () => {
  await cron()
  const { key, reg } = await newReporter()
  await report(key, reg)
  const started = Date.now()
  const { status, headers, body } = await api('GET', '//ready', { now: new Date(started + 3_600_000) })
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
    version: null, // only a deployed Worker has one
    migrations: readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).length,
    checked_at: expect.stringMatching(/Z$/),
  })
  expect(Object.keys(body.jobs).sort()).toEqual(Object.keys(JOBS).sort())
  for (const [job, at] of Object.entries<string>(body.jobs)) {
    expect(started - Date.parse(at), job).toBeLessThan(120_000)
  }
})
