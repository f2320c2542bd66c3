import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { launch } from '../../local/process.ts'
import { signatureHeaders } from '../../src/webhooks/relay/sign.ts'
import { readPage } from '../support/docs-table.ts'
import { shared } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'

const PACKAGE = join(import.meta.dirname, '../../packages/webhooks')
const LINES_MAX = 15
const STOP_MS = 5_000

const h = shared()
const stops: (() => Promise<unknown>)[] = []

afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
})

/** The only program in the section "Receiving webhooks" of docs/use/webhooks.md. */
function docsReceiver(): string {
  const section =
    readPage('use/webhooks.md')
      .split(/^## /m)
      .find((part) => part.startsWith('Receiving webhooks')) ?? ''
  const programs = [...section.matchAll(/^```js\n(.*?)^```/gms)].map(([, program = '']) => program)
  expect(programs).toHaveLength(1)
  return programs[0] ?? ''
}

/** Runs the program as a reader would, with the package installed; `output` resolves at its end. */
async function start(program: string, port: number, secret: string) {
  const dir = await mkdtemp(join(tmpdir(), 'receiver-'))
  const installed = join(dir, 'node_modules/@agentreg/webhooks')
  await build({
    entryPoints: [join(PACKAGE, 'index.ts')],
    outfile: join(installed, 'dist/index.js'),
    bundle: true,
    format: 'esm',
  })
  await cp(join(PACKAGE, 'package.json'), join(installed, 'package.json'))
  await writeFile(join(dir, 'package.json'), '{"type":"commonjs"}') // as npm init writes it
  await writeFile(join(dir, 'receiver.mjs'), program)
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret }
  const launched = launch(process.execPath, ['receiver.mjs'], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    lastSignal: 'KILL',
  })
  const { stdout } = launched.child
  if (!stdout) throw new Error('the receiver has no output')
  const output = text(stdout)
  const stop = async () => {
    await launched.end('SIGTERM', STOP_MS)
    await rm(dir, { recursive: true, force: true })
  }
  stops.push(stop)
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), SOON)
  return { output, stop }
}

describe('the receiver in docs/use/webhooks.md', () => {
  it('verifies a real webhook, returns 204, and handles a redelivered event only once', async () => {
    const program = docsReceiver()
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/hook`
    const operator = await h.newOperator()
    const platform = await h.newPlatform(operator, { webhook_url: url })
    const receiver = await start(program, port, platform.webhook_secret)

    const agent = await h.newAgent(operator, { name: 'Ümläut 🤖', platform_slug: platform.slug })
    const delivery = await vi.waitFor(async () => {
      const [row] = await h.sql(
        `select d.status, a.response_status, e.id, e.type, e.created_at, e.data
         from webhook_deliveries d join webhook_events e on e.id = d.event_id
         join webhook_attempts a on a.delivery_id = d.id
         join platforms p on p.id = d.platform_id where p.slug = $1`,
        [platform.slug],
      )
      expect(row).toMatchObject({ status: 'delivered', response_status: 204 })
      return row
    }, SOON)

    const { id, type, created_at, data } = delivery
    const again = JSON.stringify({ id, type, created_at, data })
    const signed = await signatureHeaders([platform.webhook_secret], { id, type }, again, new Date())
    const send = async (body: string, headers: Record<string, string> = signed) => {
      const response = await fetch(url, { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    }
    expect(await send(again)).toEqual({ status: 204, text: '' })
    expect(await send(again.replace('"A"', '"S"'))).toEqual({ status: 401, text: 'signature_mismatch' })
    expect(await send(again, {})).toEqual({ status: 401, text: 'missing_header' })

    await receiver.stop()
    const output = await receiver.output
    expect(output.match(/agent\.registered/g)).toHaveLength(1)
    expect(output).toContain(agent.reg)
  })
})
