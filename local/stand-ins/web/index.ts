import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { z } from 'zod'
import { fromFetch, serveAgain } from '../serve.ts'
import { txtAnswer } from './dns.ts'
import { openStore, type Store } from './store.ts'

const BODILESS = [204, 205, 304] // fetch standard: these must not have a body
const FILE_PATH = '/files/:domain/.well-known/reg-agent.json'

export interface Web {
  /** The URL to publish records and files; its root lists them. */
  url: string
  /** The resolver: DNS over HTTPS with JSON. */
  dohUrl: string
  /** Has a folder for each domain, which represents its website. */
  filesUrl: string
  stop(): Promise<void>
}

const name = z.string().trim().toLowerCase().min(1)

const recordInput = z.object({
  name,
  /** One record or several; null removes them. */
  txt: z.union([z.string().transform((one) => [one]), z.array(z.string())]).nullable(),
})

const fileInput = z.object({
  domain: name,
  /** A string is served unchanged, any other value as JSON; null removes the file. */
  body: z.json(),
  status: z.int().min(200).max(599).default(200),
  delay_ms: z.int().min(0).max(60_000).default(0),
  headers: z.record(z.string(), z.string()).default({}),
})

/**
 * Starts the stand-in for DNS and websites, for the verification of domains: it serves the published records and files,
 * including those published before a restart.
 *
 * @param dir data folder (`web.json`)
 */
export async function startWeb({ dir }: { dir: string }): Promise<Web> {
  const store = openStore(dir)
  const { url, stop } = await serveAgain('web', fromFetch(webApp(store).fetch), store)
  return { url, dohUrl: `${url}/dns-query`, filesUrl: `${url}/files`, stop }
}

function webApp({ state, save }: Store): Hono {
  const app = new Hono()

  app.get('/', (c) => c.json({ records: state.records, files: state.files }))

  app.put('/records', async (c) => {
    const input = recordInput.safeParse(await c.req.json().catch(() => null))
    if (!input.success) return c.text(z.prettifyError(input.error), 400)
    const { name, txt } = input.data
    if (txt) state.records[name] = { txt }
    else delete state.records[name]
    save()
    return c.body(null, 204)
  })

  app.put('/files', async (c) => {
    const input = fileInput.safeParse(await c.req.json().catch(() => null))
    if (!input.success) return c.text(z.prettifyError(input.error), 400)
    const { domain, body, ...rest } = input.data
    if (body === null) delete state.files[domain]
    else state.files[domain] = { ...rest, body: typeof body === 'string' ? body : JSON.stringify(body) }
    save()
    return c.body(null, 204)
  })

  app.get('/dns-query', (c) => {
    const { name = '' } = c.req.query()
    if (c.req.header('accept') !== 'application/dns-json') return c.text('accept: application/dns-json', 406)
    const requested = name.toLowerCase().replace(/\.$/, '')
    const found = Object.hasOwn(state.records, requested) ? state.records[requested] : undefined
    const answer = txtAnswer(requested, found?.txt)
    return c.body(JSON.stringify(answer), 200, { 'Content-Type': 'application/dns-json' })
  })

  app.get(FILE_PATH, async (c) => {
    const domain = c.req.param('domain').toLowerCase()
    const file = Object.hasOwn(state.files, domain) ? state.files[domain] : undefined
    if (!file) return c.text('file not found', 404)
    await sleep(file.delay_ms)
    return new Response(BODILESS.includes(file.status) ? null : file.body, {
      status: file.status,
      headers: { 'Content-Type': 'application/json', ...file.headers },
    })
  })

  return app
}
