import { remoteKeys, verifyToken } from '../../../packages/verify/index.ts'
import { freshIp } from '../../support/harness.ts'
import type { World } from './world.ts'

/** A way to verify an agent, as its caller experiences it. */
export interface Way {
  name: string
  /** Whether the Worker at the edge has to open new connections. */
  opens?: true
  /** @throws Error when nothing was verified */
  verify(): Promise<void>
}

/** The caller and the agent that it verifies. */
export interface Case {
  reg: string
  /** An API key with the permission `read`. */
  key: string
  /** The issuer of tokens. */
  issuer: string
  /** The Worker, without a delay. */
  base: string
}

/** All ways to verify an agent, in the order of the table. */
export async function waysOf({ urls }: World, { reg, key, issuer, base }: Case): Promise<Way[]> {
  const ask = async (url: string, path: string, token?: string) => {
    const headers = { 'CF-Connecting-IP': freshIp(), ...(token && { Authorization: `Bearer ${token}` }) }
    const response = await fetch(`${url}/api/v1${path}`, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  const isSame = ({ reg: found }: { reg: string }) => {
    if (found !== reg) throw new Error(`${found} is not ${reg}`)
  }
  const open = async (url: string) => isSame(await ask(url, `/verify/${reg}`))
  const full = async (url: string) => isSame(await ask(url, `/verify/${reg}/full`, key))

  const { token } = await ask(base, `/verify/${reg}/token`)
  const keys = remoteKeys(issuer, { fetch: (url, init) => fetch(url.replace(issuer, base), init) })
  const offline = async () => {
    const { verification, reason } = await verifyToken(token, { issuer, keys })
    if (!verification) throw new Error(`a token: ${reason}`)
    isSame(verification as { reg: string })
  }
  await offline() // the keys are fetched once in ten minutes
  return [
    { name: 'API, Worker next to the database', verify: () => open(urls.beside) },
    { name: 'API, Worker at the edge', verify: () => open(urls.edge) },
    {
      name: 'API, Worker at the edge, new connections',
      opens: true,
      verify: () => open(urls.edge),
    },
    { name: 'API with a key, Worker next to the database', verify: () => full(urls.beside) },
    { name: 'API with a key, Worker at the edge', verify: () => full(urls.edge) },
    {
      name: 'API with a key, Worker at the edge, new connections',
      opens: true,
      verify: () => full(urls.edge),
    },
    {
      name: 'profile from a cache at the edge, up to 10 s old',
      verify: async () => isSame(await ask(urls.cache, `/agents/${reg}`)),
    },
    { name: 'token, verified offline', verify: offline },
  ]
}
