import { messageOf } from '../../support/message.ts'
import { type Check, notTried, ok, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000
const UNREACHABLE = 'see whether the Worker is deployed, and its address is that of BASE_URL'
const DOCUMENT = '/api/v1/openapi.json'
const FILE = '/ui/app.css'

interface Ready {
  status: string
  jobs: Record<string, string | null>
}

/** The Worker, as callers find it. */
export const workerChecks: Check[] = [
  {
    part: 'Worker',
    name: 'address',
    ofWorker: true,
    todo: UNREACHABLE,
    async run({ env }) {
      const response = await ask(`${env.BASE_URL}/health`)
      const isOurs =
        response.ok && ((await response.json().catch(() => ({}))) as { status?: string }).status === 'ok'
      if (!isOurs) return wrong(`${env.BASE_URL}/health responds ${response.status}`, UNREACHABLE)
      const document = await ask(env.BASE_URL + DOCUMENT)
      const { servers = [] } = (await document.json().catch(() => ({}))) as { servers?: { url: string }[] }
      const said = servers[0]?.url
      return said?.startsWith(env.BASE_URL)
        ? ok(`responds at ${env.BASE_URL}, and says so`)
        : wrong(
            `it says that it is ${said ?? 'nowhere'}`,
            'set BASE_URL to one address, here and at the Worker',
          )
    },
  },
  {
    part: 'Worker',
    name: 'files',
    ofWorker: true,
    todo: UNREACHABLE,
    async run({ env }) {
      const response = await ask(env.BASE_URL + FILE)
      return response.ok && response.headers.get('content-type')?.startsWith('text/css')
        ? ok('static files are served')
        : wrong(
            `${FILE} responds ${response.status}`,
            'deploy with npm run deploy, which makes the static files',
          )
    },
  },
  {
    part: 'Worker',
    name: 'https',
    ofWorker: true,
    todo: UNREACHABLE,
    async run({ env, placement }) {
      if (!placement) return notTried('a local stack is on http')
      const response = await ask(`${env.BASE_URL}/health`)
      return response.headers.get('strict-transport-security')
        ? ok('https, and browsers are told to stay with it')
        : wrong('browsers are not told to stay with https', 'see whether something stands before the Worker')
    },
  },
  {
    part: 'Worker',
    name: 'ready',
    ofWorker: true,
    todo: UNREACHABLE,
    async run({ env }) {
      const response = await ask(`${env.BASE_URL}/ready`)
      const ready = (await response.json().catch(() => null)) as Ready | null
      if (!ready) return wrong(`/ready responds ${response.status}`, UNREACHABLE)
      const down = Object.entries(ready).flatMap(([part, state]) => (state === 'down' ? [part] : []))
      return ready.status === 'ok'
        ? ok('all its parts respond to it')
        : wrong(
            `/ready says ${ready.status}${down.length > 0 ? `: ${down.filter((part) => part !== 'status').join(', ')} down` : ''}`,
            'see the lines above for that part, and docs/operations.md',
          )
    },
  },
  {
    part: 'Worker',
    name: 'cron',
    ofWorker: true,
    todo: UNREACHABLE,
    async run({ env, placement }) {
      const { jobs } = (await (await ask(`${env.BASE_URL}/ready`)).json()) as Ready
      const names = Object.keys(jobs)
      if (names.length > 0) return ok(`jobs have run: ${names.length}`)
      return placement
        ? wrong(
            'no job has run yet',
            'wait a minute; else look at the cron triggers of the Worker at Cloudflare',
          )
        : notTried('a local stack has no clock of its own: npm run cron')
    },
  },
]

async function ask(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    throw new Error(`${url} is not reachable: ${messageOf(error)}`, { cause: error })
  }
}
