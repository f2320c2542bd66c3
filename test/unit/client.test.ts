import { createClient } from '@agentreg/client'
import { describe, expect, it } from 'vitest'

const AGENT = { reg: 'REG-2026-0001-0042-U', name: 'Scout' }

/** A client of a service that always returns this response, and the requests that reach it. */
function clientOf(reply: unknown, status: number, token?: string | (() => Promise<string>)) {
  const requests: Request[] = []
  const client = createClient({
    baseUrl: 'https://registry.example/',
    ...(token && { token }),
    fetch: async (request) => {
      requests.push(request)
      return Response.json(reply, { status })
    },
  })
  return { client, requests }
}

describe('the generated client', () => {
  it('calls a path with its parameters and returns the response as data', async () => {
    const { client, requests } = clientOf(AGENT, 200)
    const { data, error } = await client.GET('/agents/{reg}', { params: { path: { reg: AGENT.reg } } })
    expect(error).toBeUndefined()
    expect(data?.name).toBe('Scout')
    expect(requests[0]?.url).toBe('https://registry.example/api/v1/agents/REG-2026-0001-0042-U')
    expect(requests[0]?.headers.has('authorization')).toBe(false)
  })

  it('calls the token function for each request', async () => {
    let requested = 0
    const { client, requests } = clientOf({ data: [] }, 200, async () => `token-${++requested}`)
    await client.GET('/operators/me/api-keys')
    await client.GET('/operators/me/api-keys')
    const sent = requests.map((request) => request.headers.get('authorization'))
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it('returns an error of the service as a value, typed with the codes of its route', async () => {
    const rejection = { error: { code: 'AGENT_LIMIT_REACHED', message: 'full', status: 402 } }
    const { client } = clientOf(rejection, 402, 'token')
    const { data, error, response } = await client.POST('/agents', { body: { name: 'Scout', class: 'A' } })
    expect(data).toBeUndefined()
    expect(response.status).toBe(402)
    expect(error?.error.code === 'AGENT_LIMIT_REACHED' && error.error.status).toBe(402)
    // @ts-expect-error: no route returns such a code
    expect(error?.error.code === 'TEAPOT').toBe(false)
  })
})
