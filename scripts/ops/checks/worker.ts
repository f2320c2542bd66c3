import { messageOf } from '../../support/message.ts'
import { ADVICE, checksOf, notTried, ok, type Visit, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000
const DOCUMENT = '/api/v1/openapi.json'
const FILE = '/ui/app.css'

interface Ready {
  status: string
  jobs: Record<string, string | null>
}

/** Checks of the Worker over its public URL. */
export const workerChecks = checksOf('Worker', [
  {
    name: 'address',
    async run(visit) {
      const { env } = visit
      const health = await ask<{ status?: string }>(visit, '/health')
      if (health.body?.status !== 'ok') {
        return wrong(`${env.BASE_URL}/health returned ${health.status}`, ADVICE.Worker)
      }
      const document = await ask<{ servers?: { url: string }[] }>(visit, DOCUMENT)
      const { servers = [] } = document.body ?? {}
      const said = servers[0]?.url
      return said?.startsWith(env.BASE_URL)
        ? ok(`responds at ${env.BASE_URL}, its own BASE_URL`)
        : wrong(
            `its own BASE_URL is ${said ?? 'missing'}`,
            'set the same BASE_URL in this file and for the Worker',
          )
    },
  },
  {
    name: 'files',
    async run(visit) {
      const { status, headers } = await ask(visit, FILE)
      return status === 200 && headers.get('content-type')?.startsWith('text/css')
        ? ok('static files are served')
        : wrong(`${FILE} returned ${status}`, 'deploy with npm run deploy, which builds the static files')
    },
  },
  {
    name: 'https',
    async run(visit) {
      if (!visit.placement) return notTried('a local stack uses http')
      const { headers } = await ask(visit, '/health')
      return headers.get('strict-transport-security')
        ? ok('responses have the header Strict-Transport-Security')
        : wrong(
            'responses lack the header Strict-Transport-Security',
            'check whether a proxy in front of the Worker removes it',
          )
    },
  },
  {
    name: 'ready',
    async run(visit) {
      const { status, body: ready } = await ask<Ready>(visit, '/ready')
      if (!ready) return wrong(`/ready returned ${status}`, ADVICE.Worker)
      const down = Object.entries(ready).flatMap(([part, state]) => (state === 'down' ? [part] : []))
      return ready.status === 'ok'
        ? ok('all dependencies respond')
        : wrong(
            `/ready shows ${ready.status}${down.length > 0 ? `: ${down.filter((part) => part !== 'status').join(', ')} down` : ''}`,
            'see the lines above for that part, and docs/operate/runbook.md',
          )
    },
  },
  {
    name: 'cron',
    async run(visit) {
      const { body } = await ask<Ready>(visit, '/ready')
      const names = Object.keys(body?.jobs ?? {})
      if (names.length > 0) return ok(`jobs that have run: ${names.length}`)
      return visit.placement
        ? wrong(
            'no job has run yet',
            'wait a minute; if this persists, check the cron triggers of the Worker at Cloudflare',
          )
        : notTried('no job has run yet: run npm run cron')
    },
  },
])

interface WorkerResponse<Body> {
  status: number
  headers: Headers
  /** Null if it is not JSON. */
  body: Body | null
}

/** Requests a path of the Worker, once per run. */
function ask<Body>({ env, once }: Visit, path: string): Promise<WorkerResponse<Body>> {
  const url = env.BASE_URL + path
  return once(url, async () => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: toJson<Body>(text) }
    } catch (error) {
      throw new Error(`${url} is not reachable: ${messageOf(error)}`, { cause: error })
    }
  })
}

/** The JSON of our own routes; null for other text, as from another server. */
function toJson<Body>(text: string): Body | null {
  try {
    return JSON.parse(text) as Body
  } catch {
    return null
  }
}
