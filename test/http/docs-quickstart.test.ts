import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readPage } from '../support/docs-table.ts'
import { type Body, freshIp, shared, startReceiver } from '../support/harness.ts'
import { folderWith, programsOf } from '../support/programs.ts'

const PLACEHOLDER = /^export (\w+)=(.*(?:…|\.example|REG-2026-0001-0042-U|localhost).*)$/
const PATIENCE_MS = 60_000
const CLI = join(import.meta.dirname, '../../packages/cli/src/main.ts')

const h = shared()

it('every command of docs/use/quickstart.md works when run in order', async () => {
  await using receiver = await startReceiver()
  // The commands run unchanged, with an IP address that no other test uses.
  await using folder = await folderWith({
    '.curlrc': `header = "CF-Connecting-IP: ${freshIp()}"\n`,
    agentreg: `exec ${process.execPath} ${CLI} "$@"\n`,
  })
  await chmod(join(folder.dir, 'agentreg'), 0o755)
  const operator = await h.newOperator()
  const known: Record<string, string> = {
    REGISTRY: h.base_url,
    TOKEN: operator.token,
    HOOK: receiver.url,
  }
  const env: Record<string, string> = { PATH: `${folder.dir}:${process.env.PATH}`, CURL_HOME: folder.dir }
  const responses: Body[] = []
  const run = async (script: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder.dir,
      env,
      timeout: PATIENCE_MS,
    })
    return stdout.trim()
  }

  for (const [, block = ''] of readPage('use/quickstart.md').matchAll(/^```sh\n(.*?)^```/gms)) {
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
    expect(body.error, script).toBeFalsy()
    responses.push(body)
    Object.assign(known, {
      ...(body.reg && { REG: body.reg }),
      ...(body.key && { KEY: body.key }),
    })
  }

  const { REG: reg } = env
  expect(responses).toMatchObject([
    { email: operator.email },
    { reg, class: 'A' },
    { reg, registered: true, active: true },
    { name: 'Worker', permissions: ['read', 'activity:report'] },
    { event_type: 'task_completed', source: 'self' },
    { accepted: 9, rejected: 0 },
    { reg, provisional: true, evidence: { self: 1 } },
    { type: 'incident.created' },
  ])
  expect(responses.filter(({ warnings }) => warnings)).toEqual([])

  const [webhook] = await receiver.arrival(1)
  const [command = ''] = programsOf('use/webhooks.md', 'Verifying', 'sh').filter((one) =>
    one.includes('openssl'),
  )
  Object.assign(env, {
    timestamp: String(webhook?.headers['x-reg-timestamp']),
    body: webhook?.raw,
    WEBHOOK_SECRET: env.SECRET,
  })
  expect(`sha256=${await run(command)}`).toBe(webhook?.headers['x-reg-signature'])
})
