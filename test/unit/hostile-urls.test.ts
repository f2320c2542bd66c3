import { expect, it } from 'vitest'
import { webhookUrlProblem } from '../../src/webhooks/relay/url.ts'
import vectors from '../vectors/hostile-urls.json' with { type: 'json' }

const { base_url: BASE_URL, reasons, rejected, taken, not_judged_by_name } = vectors
const problemOf = (url: string) => webhookUrlProblem(url, { BASE_URL, ALLOW_LOCAL_WEBHOOKS: false })

it.each(rejected)('$url is rejected as a webhook URL: $reason', ({ url, reason }) => {
  expect(problemOf(url)).toBe(reasons[reason as keyof typeof reasons])
})

it('a webhook URL has at most 2048 characters', () => {
  const problemAt = (length: number) => problemOf('https://example.com/'.padEnd(length, 'x'))
  expect([problemAt(2_048), problemAt(2_049)]).toEqual([null, reasons.length])
})

it.each([...taken, ...not_judged_by_name.urls])('%s is accepted as a webhook URL', (url) => {
  expect(problemOf(url)).toBeNull()
})

it.each([
  ['http://127.0.0.1:9/', null],
  ['http://localhost:9/', null],
  ['http://user@localhost:9/', reasons.credentials],
  ['https://localhost:9999/', reasons.private],
  ['http://0.0.0.0:9/', reasons.scheme],
  ['http://[::1]:9/', reasons.scheme],
  ['http://127.0.0.2:9/', reasons.scheme],
  ['https://127.0.0.1:9443/', reasons.address],
])('%s where local webhooks are allowed: %s', (url, problem) => {
  expect(webhookUrlProblem(url, { BASE_URL, ALLOW_LOCAL_WEBHOOKS: true })).toBe(problem)
})
