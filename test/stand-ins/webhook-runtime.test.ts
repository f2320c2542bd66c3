import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestHarness } from 'wrangler'
import vectors from '../vectors/webhooks.json' with { type: 'json' }

const PACKAGE = join(import.meta.dirname, '../../packages/webhooks/index.ts')
const RECEIVER = `
  import { verifyWebhook } from ${JSON.stringify(PACKAGE)}
  export default {
    async fetch(request) {
      const { secret, now, toleranceSeconds } = JSON.parse(request.headers.get('case'))
      const body = new Uint8Array(await request.arrayBuffer())
      return Response.json(
        await verifyWebhook(secret, request.headers, body, { now: new Date(now * 1000), toleranceSeconds }),
      )
    },
  }`
const SETTINGS = 'name = "receiver"\nmain = "receiver.js"\ncompatibility_date = "2026-10-01"\n'
let root: string
let runtime: ReturnType<typeof createTestHarness>

beforeAll(async () => {
  vi.stubEnv('CLOUDFLARE_CF_FETCH_ENABLED', 'false') // no requests to the internet
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
  root = await mkdtemp(join(tmpdir(), 'receiver-'))
  await writeFile(join(root, 'receiver.js'), RECEIVER)
  await writeFile(join(root, 'wrangler.toml'), SETTINGS)
  runtime = createTestHarness({ root, workers: [{ configPath: './wrangler.toml' }] })
  await runtime.listen()
})
afterAll(async () => {
  await runtime?.close()
  vi.unstubAllEnvs()
  await rm(root, { recursive: true, force: true })
})

it.each(vectors.cases)('verifyWebhook works in workerd: $name: $reason', async (vector) => {
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
