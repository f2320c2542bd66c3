import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestHarness } from 'wrangler'
import { REG, tellStory } from '../support/log/story.ts'
import { folderWith } from '../support/programs.ts'
import vectors from '../vectors/webhooks.json' with { type: 'json' }

// What the packages do is tested in Node; this is whether they do it in the runtime of Workers.

const PACKAGES = join(import.meta.dirname, '../../packages')
const SETTINGS = 'name = "packages"\nmain = "worker.js"\ncompatibility_date = "2026-10-01"\n'
const WORKER = `
  import { verifyAgent } from ${JSON.stringify(`${PACKAGES}/verify/index.ts`)}
  import { verifyWebhook } from ${JSON.stringify(`${PACKAGES}/webhooks/index.ts`)}

  async function receive({ headers }, body) {
    const { secret, now, toleranceSeconds } = JSON.parse(headers.get('case'))
    return verifyWebhook(secret, headers, body, { now: new Date(now * 1000), toleranceSeconds })
  }

  export default {
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer())
      const agent = request.headers.get('agent')
      return Response.json(await (agent ? verifyAgent(...JSON.parse(agent)) : receive(request, body)))
    },
  }`

const folder = await folderWith({ 'worker.js': WORKER, 'wrangler.toml': SETTINGS })
let runtime: ReturnType<typeof createTestHarness>

beforeAll(async () => {
  vi.stubEnv('CLOUDFLARE_CF_FETCH_ENABLED', 'false') // no requests to the internet
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
  runtime = createTestHarness({ root: folder.dir, workers: [{ configPath: './wrangler.toml' }] })
  await runtime.listen()
})
afterAll(async () => {
  await runtime?.close()
  vi.unstubAllEnvs()
  await folder[Symbol.asyncDispose]()
})

it('verifyAgent verifies an agent in workerd', async () => {
  await using story = await tellStory()
  const agent = JSON.stringify([story.service.url, REG])
  const response = await runtime.fetch('/', { headers: { agent } })
  expect(await response.json()).toMatchObject({ verdict: 'verified' })
})

it.each(vectors.cases)('verifyWebhook judges a webhook in workerd: $name: $reason', async (vector) => {
  const { secret, now, toleranceSeconds, headers, body, reason } = vector
  const response = await runtime.fetch('/', {
    method: 'POST',
    headers: {
      ...(headers as Record<string, string>),
      case: JSON.stringify({ secret, now, toleranceSeconds }),
    },
    body,
  })
  expect(await response.json()).toEqual({ event: reason ? null : JSON.parse(body), reason })
})
