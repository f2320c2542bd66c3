import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { readAlerts, readBy } from '../support/alerts.ts'
import { askRelay } from '../support/deliveries.ts'
import { freshSlug, shared } from '../support/harness.ts'
import { startProxy } from '../support/proxy.ts'

const h = shared()

it('log lines have the fields that the alerts read', async () => {
  await h.cron()
  await expect.poll(async () => (await h.api('GET', '//ready')).status).toBe(200)
  const read = readAlerts().map(({ expr }) => readBy(expr))
  for (const event of ['ready', 'request', 'job_done']) {
    const isOfEvent = (line: string) => line.includes(`"event":"${event}"`)
    const find = () => h.workerLogs().split('\n').find(isOfEvent)
    await expect.poll(find).toBeDefined()
    const line = JSON.parse(find() ?? '{}')
    const paths = read.filter(({ events }) => events.includes(event)).flatMap(({ paths }) => paths)
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) expect(line, `${event}: ${path}`).toHaveProperty(path)
  }
})

it('the log contains requests and failures, but no content of requests, credentials, or SQL', async () => {
  const proxies = { postgres: await startProxy(h.neon_sql_url), redis: await startProxy(h.redis_rest_url) }
  for (const proxy of Object.values(proxies)) onTestFinished(proxy.stop)
  await using worker = await h.variant({
    NEON_SQL_URL: proxies.postgres.url,
    UPSTASH_REDIS_REST_URL: proxies.redis.url,
    QSTASH_URL: 'http://127.0.0.1:9', // nothing listens there
  })
  const { operator, reg, key } = await h.newReporter()
  const { token } = operator
  const { slug } = await h.newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/' })
  await worker.api('POST', '/agents', { token, body: { name: 'a', class: 'A', platform_slug: slug } })
  await expect.poll(h.workerLogs).toContain('"event":"publish_failed"')
  const [delivery] = await h.sql(
    'select d.id from webhook_deliveries d join platforms p on p.id = d.platform_id where p.slug = $1',
    [slug],
  )
  const relayed = await askRelay({ ...h, api: worker.api }, delivery?.id, 1)
  expect([relayed.status, relayed.body]).toEqual([503, { done: false }]) // the next attempt could not be published
  const marks = { query: randomUUID(), body: randomUUID(), header: randomUUID(), bad: randomUUID() }
  const ids: string[] = []
  const call = async (...[method, path, options]: Parameters<typeof worker.api>) => {
    const response = await worker.api(method, path, options)
    ids.push(response.headers.get('x-request-id') ?? '')
    return response.status
  }
  const callAll = async () => [
    await call('GET', `/agents/search?q=${marks.query}`),
    await call('POST', '/platforms', { token, body: { slug: freshSlug(), name: marks.body } }),
    await call('POST', '/activity/report', {
      token: key,
      headers: { 'Idempotency-Key': marks.header },
      body: { reg, event_type: 'x', metadata: { mark: marks.body } },
    }),
    await call('GET', '/operators/me', { token: token.slice(0, -8) + marks.bad.slice(0, 8) }),
    await call('POST', '/platforms', { token, body: `{"name": "${marks.body}` }),
  ]
  expect(await callAll()).toEqual([200, 201, 201, 401, 400])
  proxies.redis.set({ mode: 'error' })
  expect(await callAll()).toEqual([200, 201, 201, 401, 400])
  for (const mode of ['cut', 'error', 'garbage'] as const) {
    proxies.postgres.set({ mode })
    expect(await callAll()).toEqual([503, 503, 503, 401, 503]) // an invalid check is rejected without the database
  }
  await expect.poll(() => h.workerLogs().includes(`"request_id":"${ids.at(-1)}"`)).toBe(true)
  const text = h.workerLogs()
  for (const event of ['request', 'request_failed', 'limiter_unavailable'])
    expect(text).toContain(`"event":"${event}"`)
  for (const secret of [token.slice(-43), key.slice(-38), operator.email, ...Object.values(marks)])
    expect(text.includes(secret), secret.slice(0, 12)).toBe(false)
  const mine = text.split('\n').filter((line) => ids.some((id) => line.includes(id)))
  expect(mine.length).toBeGreaterThan(ids.length)
  for (const line of mine) expect(line).not.toMatch(/\bselect\b|\binsert\b|\?|publish_failed/i)
})
