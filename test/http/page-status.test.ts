import { expect, it } from 'vitest'
import { JOBS } from '../../src/jobs/index.ts'
import { shared } from '../support/harness.ts'
import { attributeOf, pageReader, textsOf } from '../support/pages.ts'

const CLOSED = 'http://127.0.0.1:9'

const h = shared()
const read = pageReader(h)

it('/status shows that everything works, by the check of /ready, without a rate limit', async () => {
  await h.cron()
  const page = await read('/status')
  expect(page.status).toBe(200)
  expect(textsOf(page, 'h2')[0]).toBe('Everything works')
  expect(page.html.match(/✓ works/g)).toHaveLength(4)
  expect(page.html).not.toContain('✕')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('x-ratelimit-limit')).toBeNull()
  expect(attributeOf(page, 'type="application/json"', 'href')).toBe(`${h.base_url}/ready`)
  for (const job of Object.keys(JOBS)) expect(page.text).toContain(job.replaceAll('_', ' '))
  expect(page.text).toMatch(/[\d,]+ of [\d,]+ entries are signed|publicly verifiable/)
  const isSameCheck = async () => {
    const { checked_at } = (await h.api('GET', '//ready')).body
    const { html, text } = await read('/status')
    const inWords = `${checked_at.slice(0, 10)} ${checked_at.slice(11, 19)} UTC`
    return html.includes(`datetime="${checked_at}"`) && text.includes(inWords)
  }
  await expect.poll(isSameCheck).toBe(true)
})

it.each([
  ['Limits', { UPSTASH_REDIS_REST_URL: CLOSED }],
  ['Delivery', { QSTASH_URL: CLOSED }],
])('/status shows a service that is unavailable: %s', async (part, settings) => {
  await using worker = await h.variant(settings)
  const page = await read('/status', { base: worker.url })
  expect(page.status).toBe(200)
  expect(textsOf(page, 'h2')[0]).toBe('Working, with restrictions')
  expect(textsOf(page, 'tr').find((text) => text.startsWith(part))).toContain('✕ down')
  expect(page.html.match(/✕/g)?.length).toBeLessThanOrEqual(2) // the log is also read from Redis
})

it('without the database every page is 503, with Retry-After, as is /ready', async () => {
  await using worker = await h.variant({ NEON_SQL_URL: CLOSED })
  const status = await read('/status', { base: worker.url })
  expect(status.status).toBe(503)
  expect(status.headers.get('cache-control')).toBe('no-store')
  expect(textsOf(status, 'tr').find((text) => text.startsWith('Webhooks'))).toContain('unknown')
  expect((await worker.api('GET', '//ready')).status).toBe(503)
  for (const path of ['/', '/agents', `/operators/${crypto.randomUUID()}`, '/platforms/acme-market']) {
    const page = await read(path, { base: worker.url })
    expect(page.status).toBe(503)
    expect(textsOf(page, 'h1')).toEqual(['The registry cannot respond at the moment'])
    expect(page.headers.get('retry-after')).toBe('5')
    const program = await read(path, { base: worker.url, accept: 'application/json' })
    expect(JSON.parse(program.html).error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
  }
})
