import { describe, expect, it } from 'vitest'
import { type ApiResponse, expectError, type Operator, shared } from '../support/harness.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, newOperator, newAgent } = h
const web = webControl(h)

async function newOwner(fields: object = {}) {
  const owner = await newOperator()
  const { reg } = await newAgent(owner, fields)
  return { owner, reg: reg as string }
}

const requestChallenge = (reg: string, { token }: Operator, body: object): Promise<ApiResponse> =>
  api('POST', `/agents/${reg}/ownership/challenge`, { token, body })

describe('POST /agents/{reg}/ownership/challenge', () => {
  it('returns the TXT record to publish', async () => {
    const { owner, reg } = await newOwner()
    const now = new Date('2026-05-06T07:08:09Z')
    const { token } = await newOperator({ email: owner.email, now })
    const body = { domain: 'Agents.Example.COM', method: 'dns' }
    const response = await api('POST', `/agents/${reg}/ownership/challenge`, { token, body, now })
    expect(response).toMatchObject({ status: 201 })
    expect(response.body).toEqual({
      method: 'dns',
      domain: 'agents.example.com',
      record_name: '_reg-agent.agents.example.com',
      record_type: 'TXT',
      record_value: expect.stringMatching(RegExp(`^reg-agent=${reg}:[0-9A-Za-z]{32}$`)),
      expires_at: expect.stringMatching(/^2026-05-13T07:08:09\.\d{3}Z$/),
    })
  })

  it('returns the file to publish', async () => {
    const { owner, reg } = await newOwner()
    const { status, body } = await requestChallenge(reg, owner, {
      domain: 'bücher.example.com',
      method: 'http',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      method: 'http',
      domain: 'xn--bcher-kva.example.com',
      url: 'https://xn--bcher-kva.example.com/.well-known/reg-agent.json',
      content: { reg, token: expect.stringMatching(/^[0-9A-Za-z]{32}$/) },
      expires_at: expect.stringMatching(/Z$/),
    })
  })

  it('never returns a token twice', async () => {
    const { owner, reg } = await newOwner()
    const domain = freshDomain()
    const values = []
    for (let n = 0; n < 5; n++) values.push((await web.challenge(reg, owner, { domain })).record_value)
    expect(new Set(values).size).toBe(5)
  })

  it.each(['localhost', '127.0.0.1', 'https://example.com', 'example..com'])(
    'rejects %s, which is not a domain',
    async (domain) => {
      const { owner, reg } = await newOwner()
      for (const method of ['dns', 'http'])
        expectError(
          await requestChallenge(reg, owner, { domain, method }),
          400,
          'VALIDATION_ERROR',
          /^domain: /,
        )
    },
  )

  it('limits a domain so that the record name is not too long', async () => {
    const { owner, reg } = await newOwner()
    const domain = `${'a.'.repeat(116)}example.com` // 243 characters
    expect((await requestChallenge(reg, owner, { domain, method: 'http' })).status).toBe(201)
    expectError(
      await requestChallenge(reg, owner, { domain, method: 'dns' }),
      400,
      'VALIDATION_ERROR',
      /at most 242/,
    )
    expect(
      (await requestChallenge(reg, owner, { domain: domain.slice(1).replace(/^\./, ''), method: 'dns' }))
        .status,
    ).toBe(201)
  })
})
