import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readPage } from '../support/docs-table.ts'
import { type Body, freshIp, freshSlug, type Receiver, shared, startReceiver } from '../support/harness.ts'
import { folderWith } from '../support/programs.ts'

const PLACEHOLDER = /^export (\w+)=(.*(?:…|\.example|REG-2026-0001-0042-U|my-platform).*)$/
const PATIENCE_MS = 60_000

const h = shared()
let receiver: Receiver
let folder: Awaited<ReturnType<typeof folderWith>>

beforeAll(async () => {
  receiver = await startReceiver()
  // The commands run unchanged, with an IP address that no other test uses.
  folder = await folderWith({ '.curlrc': `header = "CF-Connecting-IP: ${freshIp()}"\n` })
})
afterAll(async () => {
  await receiver.stop()
  await rm(folder.dir, { recursive: true, force: true })
})

/** The shell blocks of the guide, in order. */
function shellBlocks(): string[] {
  const found = [...readPage('use/quickstart.md').matchAll(/^```sh\n(.*?)^```/gms)]
  return found.map(([, script = '']) => script)
}

it('every command of docs/use/quickstart.md works when run in order', async () => {
  const operator = await h.newOperator()
  const known: Record<string, string> = {
    REGISTRY: h.base_url,
    TOKEN: operator.token,
    HOOK: receiver.url,
    SLUG: freshSlug(),
  }
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', CURL_HOME: folder.dir }
  const responses: Body[] = []
  const run = async (script: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder.dir,
      env,
      timeout: PATIENCE_MS,
    })
    return stdout.trim()
  }

  for (const block of shellBlocks()) {
    if (block.includes('$TIMESTAMP')) {
      const [webhook] = await receiver.arrival(1)
      await writeFile(join(folder.dir, 'body'), webhook?.raw ?? '')
      env.TIMESTAMP = String(webhook?.headers['x-reg-timestamp'])
      expect(await run(block)).toBe(webhook?.headers['x-reg-signature'])
      continue
    }
    const lines = block.split('\n').filter((line) => {
      const [, name = '', value = ''] = PLACEHOLDER.exec(line) ?? []
      if (!name) return true
      env[name] = known[name] ?? ''
      expect(env[name], `${name} stands for ${value}`).not.toBe('')
      return false
    })
    for (const [, name = '', value = ''] of lines.join('\n').matchAll(/^export (\w+)=(.*)$/gm)) {
      env[name] = await run(`echo ${value}`)
    }
    const script = lines.filter((line) => !line.startsWith('export ')).join('\n')
    if (script.trim() === '') continue
    const body = JSON.parse(await run(script))
    expect(body.error, script).toBeUndefined()
    responses.push(body)
    Object.assign(known, {
      ...(body.reg && { REG: body.reg }),
      ...(body.key && { KEY: body.key }),
      ...(body.webhook_secret && { SECRET: body.webhook_secret }),
    })
  }

  const { REG: reg, SLUG: slug } = env
  expect(responses).toMatchObject([
    { email: operator.email },
    { reg, class: 'A' },
    { reg, registered: true, active: true },
    { name: 'Worker', permissions: ['read', 'activity:report'] },
    { event_type: 'task_completed', source: 'self' },
    { accepted: 9, rejected: 0 },
    { reg, provisional: true, evidence: { self: 1 } },
    { slug, webhook_url: receiver.url },
    { type: 'incident.created' },
  ])
  expect(responses.filter(({ warnings }) => warnings)).toEqual([])
})
