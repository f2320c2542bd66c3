import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unknownReg } from '../support/fill.ts'
import {
  type Answer,
  type Body,
  expectError,
  type Operator,
  shared,
  startReceiver,
} from '../support/harness.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform } = h
const web = webControl(h)

const DAY_MS = 86_400_000

async function newOwner(fields: object = {}) {
  const owner = await newOperator()
  const { reg } = await newAgent(owner, fields)
  return { owner, reg: reg as string }
}

const ask = (reg: string, { token }: Operator, body: object): Promise<Answer> =>
  api('POST', `/agents/${reg}/ownership/challenge`, { token, body })

const profileOf = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body

describe('POST /agents/{reg}/ownership/challenge', () => {
  let asking: Awaited<ReturnType<typeof newOwner>>
  beforeAll(async () => {
    asking = await newOwner()
  })

  it('says which TXT record to publish', async () => {
    const { owner, reg } = await newOwner()
    const now = new Date('2026-05-06T07:08:09Z')
    const { token } = await newOperator({ email: owner.email, now })
    const body = { domain: 'Agents.Example.COM', method: 'dns' }
    const answer = await api('POST', `/agents/${reg}/ownership/challenge`, { token, body, now })
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({
      method: 'dns',
      domain: 'agents.example.com',
      record_name: '_reg-agent.agents.example.com',
      record_type: 'TXT',
      record_value: expect.stringMatching(RegExp(`^reg-agent=${reg}:[0-9A-Za-z]{32}$`)),
      expires_at: expect.stringMatching(/^2026-05-13T07:08:09\.\d{3}Z$/),
    })
  })

  it('says which file to publish', async () => {
    const { owner, reg } = await newOwner()
    const { status, body } = await ask(reg, owner, { domain: 'bücher.example.com', method: 'http' })
    expect(status).toBe(201)
    expect(body).toEqual({
      method: 'http',
      domain: 'xn--bcher-kva.example.com',
      url: 'https://xn--bcher-kva.example.com/.well-known/reg-agent.json',
      content: { reg, token: expect.stringMatching(/^[0-9A-Za-z]{32}$/) },
      expires_at: expect.stringMatching(/Z$/),
    })
  })

  it('never gives a token twice', async () => {
    const { owner, reg } = await newOwner()
    const domain = freshDomain()
    const values = []
    for (let n = 0; n < 5; n++) values.push((await web.challenge(reg, owner, { domain })).record_value)
    expect(new Set(values).size).toBe(5)
  })

  it.each([
    'localhost',
    'com',
    'printer.local',
    'db.internal',
    '1.0.0.127.in-addr.arpa',
    'a.localhost',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '10.0.0.1',
    '169.254.169.254',
    '１２７.０.０.１',
    '[::1]',
    '::1',
    'example.com.',
    'https://example.com',
    'example.com/path',
    'example.com:8443',
    'user@example.com',
    'example.com?x',
    'example.com#x',
    'exa mple.com',
    'example%2ecom',
    'example..com',
    '.example.com',
    '-a.example.com',
    'a-.example.com',
    '_dmarc.example.com',
    '*.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(122)}example.com`,
  ])('refuses the domain %s', async (domain) => {
    const { owner, reg } = asking
    for (const method of ['dns', 'http'])
      expectError(await ask(reg, owner, { domain, method }), 400, 'VALIDATION_ERROR', /^domain: /)
  })

  it('leaves room for the label of the record', async () => {
    const { owner, reg } = await newOwner()
    const domain = `${'a.'.repeat(116)}example.com` // 243 characters
    expect((await ask(reg, owner, { domain, method: 'http' })).status).toBe(201)
    expectError(await ask(reg, owner, { domain, method: 'dns' }), 400, 'VALIDATION_ERROR', /at most 242/)
    expect(
      (await ask(reg, owner, { domain: domain.slice(1).replace(/^\./, ''), method: 'dns' })).status,
    ).toBe(201)
  })

  it('refuses a method that it does not know', async () => {
    const { owner, reg } = await newOwner()
    const body = { domain: 'example.com', method: 'mail' }
    expectError(await ask(reg, owner, body), 400, 'VALIDATION_ERROR', /dns or http/)
  })
})

describe('POST /agents/{reg}/ownership/verify', () => {
  it.each(['dns', 'http'] as const)('verifies a domain by %s [2.3f 3j ownership-2]', async (method) => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner, { method })
    await web.publish(challenge)
    expect(await profileOf(reg)).toMatchObject({
      ownership_status: 'unverified',
      ownership_verified_at: null,
    })
    const { status, body, text } = await web.verify(reg, owner)
    expect(status, text).toBe(200)
    expect(body).toEqual({
      reg,
      ownership_status: 'verified',
      domain: challenge.domain,
      method,
      verified_at: expect.stringMatching(/Z$/),
    })
    const shown = { ownership_status: 'verified', ownership_verified_at: body.verified_at }
    expect(await profileOf(reg)).toMatchObject(shown)
    expect((await api('GET', `/verify/${reg}`)).body).toMatchObject({ ownership_status: 'verified' })
    expect(
      await sql(`select target from audit_log where operator_id = $1 and action = 'ownership.verified'`, [
        owner.id,
      ]),
    ).toEqual([{ target: reg }])
  })

  it('tells the platform of the agent, once [3k]', async () => {
    const receiver = await startReceiver()
    try {
      const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
      const { owner, reg } = await newOwner({ platform_slug: platform.slug })
      const { domain } = await web.prove(reg, owner)
      const { body } = await web.verify(reg, owner)
      const [webhook] = await receiver.arrival(1, 'agent.ownership_verified')
      expect(webhook?.event.data).toEqual({ reg, domain, method: 'dns', verified_at: body.verified_at })
      const told = `select 1 from webhook_events where type = 'agent.ownership_verified' and data->>'reg' = $1`
      expect(await sql(told, [reg])).toHaveLength(1)
    } finally {
      await receiver.stop()
    }
  })

  it('tells nobody when the agent is on no platform', async () => {
    const { owner, reg } = await newOwner()
    await web.prove(reg, owner)
    expect(await sql(`select 1 from webhook_events where data->>'reg' = $1`, [reg])).toEqual([])
  })

  it('answers what was verified before when there is nothing new to verify, without a look [ownership-8]', async () => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner)
    await web.publish(challenge)
    const first = await web.verify(reg, owner)
    await web.withdraw(challenge)
    const second = await web.verify(reg, owner, new Date(Date.now() + DAY_MS))
    expect({ status: second.status, body: second.body }).toEqual({ status: 200, body: first.body })
  })

  it('keeps the verified domain until another one is verified [ownership-9]', async () => {
    const { owner, reg } = await newOwner()
    const { domain } = await web.prove(reg, owner)
    const next = await web.challenge(reg, owner, { method: 'http' })
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /answers 404/)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
    await web.publish(next)
    const { body } = await web.verify(reg, owner, new Date(Date.now() + 60_000))
    expect(body).toMatchObject({ domain: next.domain, method: 'http' })
    expect(await profileOf(reg)).toMatchObject({ ownership_verified_at: body.verified_at })
    const rows = await sql(
      `select c.domain, ended_at is null as live from ownership_challenges c join agents a on a.id = c.agent_id
       where reg = $1 and verified_at is not null order by live`,
      [reg],
    )
    expect(rows).toEqual([
      { domain, live: false },
      { domain: next.domain, live: true },
    ])
  })

  it('takes the newest challenge only [ownership-4]', async () => {
    const { owner, reg } = await newOwner()
    const domain = freshDomain()
    await web.publish(await web.challenge(reg, owner, { domain }))
    const newest = await web.challenge(reg, owner, { domain })
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /none of the TXT records/)
    await web.publish(newest)
    expect((await web.verify(reg, owner)).status).toBe(200)
  })

  it('is over after seven days [ownership-6]', async () => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner)
    await web.publish(challenge)
    const late = new Date(challenge.expires_at)
    const days = (late.getTime() - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThanOrEqual(7)
    expectError(await web.verify(reg, owner, late), 409, 'CONFLICT', /has expired/)
    expect((await web.verify(reg, owner, new Date(late.getTime() - 60_000))).status).toBe(200)
  })

  it('wants a challenge first [ownership-1]', async () => {
    const { owner, reg } = await newOwner()
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /no challenge/)
  })

  it('refuses a stranger, and proves no other agent by the same record [ownership-7]', async () => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner)
    await web.publish(challenge)
    const stranger = await newOwner()
    expectError(await web.verify(reg, stranger.owner), 403, 'FORBIDDEN', /another operator/)
    await web.challenge(stranger.reg, stranger.owner, { domain: challenge.domain })
    expectError(await web.verify(stranger.reg, stranger.owner), 409, 'CONFLICT', /none of the TXT records/)
    expect((await web.verify(reg, owner)).status).toBe(200)
    expect(await profileOf(stranger.reg)).toMatchObject({ ownership_status: 'unverified' })
  })

  it('proves a domain for several agents, by several records or by one file', async () => {
    const [one, two] = await Promise.all([newOwner(), newOwner()])
    for (const method of ['dns', 'http'] as const) {
      const domain = freshDomain()
      const first = await web.challenge(one.reg, one.owner, { domain, method })
      const second = await web.challenge(two.reg, two.owner, { domain, method })
      if (method === 'dns') await web.putRecord(first.record_name, [first.record_value, second.record_value])
      else await web.putFile(domain, ['something else', first.content, { reg: one.reg }, second.content])
      for (const { reg, owner } of [one, two])
        expect((await web.verify(reg, owner)).body).toMatchObject({ reg, domain, method })
    }
  })

  it('works for an agent that is deactivated', async () => {
    const { owner, reg } = await newOwner()
    await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { status: 'deactivated' } })
    await web.prove(reg, owner)
    expect(await profileOf(reg)).toMatchObject({ status: 'deactivated', ownership_status: 'verified' })
  })
})

describe('a TXT record', () => {
  it.each([
    ['among others', (value: string) => ['v=spf1 -all', 'x'.repeat(300), value]],
    ['with spaces around it', (value: string) => [` ${value} `]],
  ])('is found %s', async (_, txt) => {
    const { owner, reg } = await newOwner()
    const { record_name, record_value } = await web.challenge(reg, owner)
    await web.putRecord(record_name.toUpperCase(), txt(record_value))
    expect((await web.verify(reg, owner)).status).toBe(200)
  })

  it.each([
    ['none', null, 0, /has no TXT record/],
    ['none of this type', [], 0, /has no TXT record/],
    ['others, which are shown', ['v=spf1 "-all"', 'é'], 0, /seen: "v=spf1 \\"-all\\"", "/],
    ['many others', Array(50).fill('y'.repeat(400)), 0, /"y{100}" and 47 more$/],
    ['broken name servers', ['x'], 2, /SERVFAIL/],
    ['name servers that refuse', ['x'], 5, /REFUSED/],
  ] as const)('is missed where there are %s', async (_, txt, code, message) => {
    const { owner, reg } = await newOwner()
    const { record_name } = await web.challenge(reg, owner)
    await web.putRecord(record_name, txt && [...txt], code)
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', message)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'unverified' })
  })

  it('is missed with another token or number, or something added [ownership-5]', async () => {
    const { owner, reg } = await newOwner()
    const { record_name, record_value } = await web.challenge(reg, owner)
    for (const value of [
      `${record_value}x`,
      record_value.slice(0, -1),
      record_value.replace(reg, unknownReg()),
    ]) {
      await web.putRecord(record_name, value)
      expectError(await web.verify(reg, owner), 409, 'CONFLICT', /none of the TXT records/)
    }
  })
})

describe('a file', () => {
  it.each([
    ['another token', (content: Body) => ({ ...content, token: 'x' }), {}, /another token/],
    ['another agent', (content: Body) => ({ ...content, reg: unknownReg() }), {}, /does not name REG-/],
    ['a number for a token', (content: Body) => ({ ...content, token: 1 }), {}, /no JSON object/],
    ['null', () => 'null', {}, /no JSON object/],
    ['a number', () => '7', {}, /no JSON object/],
    ['half an object', () => '{"reg":', {}, /no JSON object/],
    ['nothing', () => '', {}, /no JSON object/],
    [
      'a page',
      () => '<html>',
      { headers: { 'Content-Type': 'text/html' } },
      /application\/json, not "text\/html"/,
    ],
    ['no type', (c: Body) => c, { headers: { 'Content-Type': '' } }, /application\/json, not ""/],
    ['too much', (c: Body) => JSON.stringify(c).padEnd(10 * 1024 + 1), {}, /larger than 10240 bytes/],
    [
      'a redirect',
      (c: Body) => c,
      { status: 302, headers: { Location: 'https://example.com/' } },
      /302; redirects/,
    ],
    ['301 without an address', (c: Body) => c, { status: 301 }, /301; redirects/],
    ['404', (c: Body) => c, { status: 404 }, /answers 404/],
    ['500', (c: Body) => c, { status: 500 }, /answers 500/],
    ['201', (c: Body) => c, { status: 201 }, /answers 201/],
    ['204', (c: Body) => c, { status: 204 }, /answers 204/],
    ['no answer in time', (c: Body) => c, { delay_ms: 6_000 }, /within 5 seconds/],
  ])('proves nothing with %s', async (_, body, options, message) => {
    const { owner, reg } = await newOwner()
    const { domain, content } = await web.challenge(reg, owner, { method: 'http' })
    await web.putFile(domain, body(content), options)
    const answer = await web.verify(reg, owner)
    expectError(answer, 409, 'CONFLICT', message)
    expect(answer.body.error.message).toContain(`https://${domain}/.well-known/reg-agent.json`)
    expect(answer.text).not.toContain(content.token)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'unverified' })
  })

  it.each([
    ['a charset', { headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } }],
    ['two of its five seconds to think', { delay_ms: 2_000 }],
  ])('proves with %s', async (_, options) => {
    const { owner, reg } = await newOwner()
    const { domain, content } = await web.challenge(reg, owner, { method: 'http' })
    await web.putFile(domain, JSON.stringify({ ...content, more: 1 }).padEnd(10 * 1024), options)
    const { status, text } = await web.verify(reg, owner)
    expect(status, text).toBe(200)
  })
})

describe('through a resolver and a web site that are hostile', () => {
  let listener: RequestListener
  const server = createServer((request, response) => listener(request, response))
  let hostile: Awaited<ReturnType<typeof h.variant>>

  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    hostile = await h.variant({ DOH_URL: `${url}/dns-query`, WELL_KNOWN_BASE_URL: url })
  })
  afterAll(async () => {
    await hostile.stop()
    server.closeAllConnections()
    server.close()
  })

  async function look(method: 'dns' | 'http', answer: RequestListener): Promise<Answer> {
    const { owner, reg } = await newOwner()
    await web.challenge(reg, owner, { method })
    listener = answer
    const { token } = owner
    const verified = await hostile.api('POST', `/agents/${reg}/ownership/verify`, { token })
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'unverified' })
    return verified
  }

  const says =
    (body: string | Buffer, status = 200): RequestListener =>
    (_, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
    }
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }
  const trickling: RequestListener = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 200)
    response.on('close', () => clearInterval(timer))
  }
  const hangsUp: RequestListener = (request) => request.socket.destroy()

  it.each([
    ['bytes that are no text', says(Buffer.from([0x22, 0xff, 0xfe, 0x22])), /no text in UTF-8/],
    ['a file without end', endless, /larger than 10240 bytes/],
    ['a file that never ends to begin', trickling, /within 5 seconds/],
    ['a closed door', hangsUp, /could not be reached/],
  ] as const)('proves nothing by %s', async (_, answer, message) => {
    expectError(await look('http', answer), 409, 'CONFLICT', message)
  })

  it.each([
    ['hangs up', hangsUp],
    ['is out of order', says('{}', 500)],
    ['redirects', says('{"Status":0}', 302)],
    ['speaks no JSON', says('<html>')],
    ['says nothing', says('')],
    ['says null', says('null')],
    ['says something else', says('{"Status":"0","Answer":[]}')],
    ['never stops', endless],
    ['takes for ever', trickling],
  ] as const)('answers 503 when the resolver %s', async (_, answer) => {
    const verified = await look('dns', answer)
    expectError(verified, 503, 'SERVICE_UNAVAILABLE', /resolver/)
    expect(verified.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
