import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unknownReg } from '../support/fill.ts'
import { type ApiResponse, type Body, expectError, shared } from '../support/harness.ts'
import { webControl } from '../support/web.ts'

const h = shared()
const { api, newOperator, newAgent } = h
const web = webControl(h)

async function newOwner() {
  const owner = await newOperator()
  const { reg } = await newAgent(owner)
  return { owner, reg: reg as string }
}

const profileOf = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body

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
    ['no records', null, 0, /has no TXT record/],
    ['other records, which are shown', ['v=spf1 "-all"', 'é'], 0, /found: "v=spf1 \\"-all\\"", "/],
    ['many other records', Array(50).fill('y'.repeat(400)), 0, /"y{100}" and 47 more$/],
    ['broken name servers', ['x'], 2, /SERVFAIL/],
    ['name servers that refuse queries', ['x'], 5, /REFUSED/],
  ] as const)('is not found with %s', async (_, txt, code, message) => {
    const { owner, reg } = await newOwner()
    const { record_name } = await web.challenge(reg, owner)
    await web.putRecord(record_name, txt && [...txt], code)
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', message)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'unverified' })
  })

  it('is not accepted with another token or number, or with extra text', async () => {
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
  it.concurrent.each([
    ['another token', (content: Body) => ({ ...content, token: 'x' }), {}, /different token/],
    ['another agent', (content: Body) => ({ ...content, reg: unknownReg() }), {}, /has no entry for REG-/],
    ['half an object', () => '{"reg":', {}, /must contain a JSON object/],
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
    ['404', (c: Body) => c, { status: 404 }, /returned status 404/],
    ['201', (c: Body) => c, { status: 201 }, /returned status 201/],
    ['no response in time', (c: Body) => c, { delay_ms: 6_000 }, /within 5 seconds/],
  ])('is rejected with %s', async (_, body, options, message) => {
    const { owner, reg } = await newOwner()
    const { domain, content } = await web.challenge(reg, owner, { method: 'http' })
    await web.putFile(domain, body(content), options)
    const reply = await web.verify(reg, owner)
    expectError(reply, 409, 'CONFLICT', message)
    expect(reply.body.error.message).toContain(`https://${domain}/.well-known/reg-agent.json`)
    expect(reply.text).not.toContain(content.token)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'unverified' })
  })

  it.concurrent.each([
    ['a charset', { headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } }],
    ['a response after two of five seconds', { delay_ms: 2_000 }],
  ])('is accepted with %s', async (_, options) => {
    const { owner, reg } = await newOwner()
    const { domain, content } = await web.challenge(reg, owner, { method: 'http' })
    await web.putFile(domain, JSON.stringify({ ...content, more: 1 }).padEnd(10 * 1024), options)
    const { status, text } = await web.verify(reg, owner)
    expect(status, text).toBe(200)
  })
})

describe('a hostile resolver or website', () => {
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

  async function verifyWith(method: 'dns' | 'http', reply: RequestListener): Promise<ApiResponse> {
    const { owner, reg } = await newOwner()
    await web.challenge(reg, owner, { method })
    listener = reply
    const { token } = owner
    const verified = await hostile.api('POST', `/agents/${reg}/ownership/verify`, { token })
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'unverified' })
    return verified
  }

  const respondWith =
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
  const closesConnection: RequestListener = (request) => request.socket.destroy()

  it.each([
    ['bytes that are not text', respondWith(Buffer.from([0x22, 0xff, 0xfe, 0x22])), /not UTF-8 text/],
    ['an endless file', endless, /larger than 10240 bytes/],
    ['a file that is sent too slowly', trickling, /within 5 seconds/],
    ['a closed connection', closesConnection, /could not be reached/],
  ] as const)('verifies nothing with %s', async (_, reply, message) => {
    expectError(await verifyWith('http', reply), 409, 'CONFLICT', message)
  })

  it.each([
    ['closes the connection', closesConnection],
    ['returns 500', respondWith('{}', 500)],
    ['redirects', respondWith('{"Status":0}', 302)],
    ['returns HTML', respondWith('<html>')],
    ['returns another object', respondWith('{"Status":"0","Answer":[]}')],
    ['returns an endless body', endless],
    ['sends too slowly', trickling],
  ] as const)('returns 503 if the resolver %s', async (_, reply) => {
    const verified = await verifyWith('dns', reply)
    expectError(verified, 503, 'SERVICE_UNAVAILABLE', /resolver/)
    expect(verified.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})
