import { expect, it } from 'vitest'
import { webhookUrlProblem } from '../../src/webhooks/relay/url.ts'
import vectors from '../vectors/hostile-urls.json' with { type: 'json' }

const { base_url: BASE_URL, reasons, rejected, taken, not_judged_by_name } = vectors
const problemOf = (url: string) => webhookUrlProblem(url, { BASE_URL, ALLOW_LOCAL_WEBHOOKS: false })

it.each(rejected)('$url is rejected as a webhook URL: $reason', ({ url, reason }) => {
  expect(problemOf(url)).toBe(reasons[reason as keyof typeof reasons])
})

it.each([...taken, ...not_judged_by_name.urls])('%s is accepted as a webhook URL', (url) => {
  expect(problemOf(url)).toBeNull()
})

it.each([
  ['http://0.0.0.0:9/', 'scheme'],
  ['http://[::1]:9/', 'scheme'],
  ['http://127.0.0.2:9/', 'scheme'],
  ['https://127.0.0.1:9443/', 'address'],
] as const)('%s is rejected even where local webhooks are allowed', (url, reason) => {
  expect(webhookUrlProblem(url, { BASE_URL, ALLOW_LOCAL_WEBHOOKS: true })).toBe(reasons[reason])
})

it('a URL has at most 2,048 characters', () => {
  const longest = 'https://example.com/'.padEnd(2_048, 'x')
  expect([problemOf(longest), problemOf(`${longest}x`)]).toEqual([null, reasons.length])
})
