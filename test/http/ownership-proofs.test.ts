import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'
import { freshDomain, webControl } from '../support/web.ts'

const FILE_MAX_BYTES = 10 * 1024
const RESOLVER_MAX_BYTES = 512 * 1024

const h = shared()
const web = webControl(h)

/** How the resolver or the website of a domain responds. */
const listeners = new Map<string, RequestListener>()
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const name = searchParams.get('type') === 'TXT' ? searchParams.get('name') : null
  const domain = name?.replace('_reg-agent.', '') ?? pathname.split('/')[1]
  listeners.get(domain ?? '')?.(request, response)
})
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

const TYPE = 'application/json'
const respond =
  (body: string | Buffer, status = 200, headers: Record<string, string> = { 'Content-Type': TYPE }) =>
  (...[, response]: Parameters<RequestListener>) =>
    void response.writeHead(status, headers).end(body)
const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': TYPE })
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const trickling: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': TYPE })
  const timer = setInterval(() => response.write(' '), 200)
  response.on('close', () => clearInterval(timer))
}
/** Redirects to a response that says that there is no record. */
const redirecting: RequestListener = (request, response) => {
  const there = `${request.url}&again=1`
  const again = request.url?.endsWith('&again=1')
  respond('{"Status":3}', again ? 200 : 302, again ? {} : { Location: there })(request, response)
}
const closesConnection: RequestListener = (request) => request.socket.destroy()

/** Verifies a new agent while the resolver or the website of its domain responds so. */
async function verifyWith(
  method: 'dns' | 'http',
  reply: (proof: string) => RequestListener,
  ownership_status = 'unverified',
) {
  const { token, ...owner } = await h.newOperator()
  const { reg } = await h.newAgent({ token, ...owner })
  const domain = freshDomain()
  const { content } = await web.challenge(reg, { token, ...owner }, { domain, method })
  listeners.set(domain, reply(JSON.stringify(content)))
  const verified = await hostile.api('POST', `/agents/${reg}/ownership/verify`, { token })
  expect((await h.api('GET', `/agents/${reg}`)).body).toMatchObject({ ownership_status })
  return { domain, content, verified }
}

it.concurrent.each<[string, (proof: string) => RequestListener, RegExp]>([
  ['a page', (proof) => respond(proof, 200, { 'Content-Type': 'text/html' }), /json, not "text\/html"/],
  ['no type', (proof) => respond(proof, 200, {}), /application\/json, not ""/],
  ['a long type', (proof) => respond(proof, 200, { 'Content-Type': 'x'.repeat(61) }), /, not "x{60}"$/],
  ['a redirect', (proof) => respond(proof, 302, { Location: 'https://example.com/' }), /302; redirects/],
  ['201', (proof) => respond(proof, 201), /status 201; it must return 200/],
  ['299', (proof) => respond(proof, 299), /status 299; it must return 200/],
  ['300', (proof) => respond(proof, 300), /status 300; redirects/],
  ['399', (proof) => respond(proof, 399), /status 399; redirects/],
  ['400', (proof) => respond(proof, 400), /status 400; it must return 200/],
  ['a byte too many', (proof) => respond(proof.padEnd(FILE_MAX_BYTES + 1)), /larger than 10240 bytes/],
  ['bytes that are not text', () => respond(Buffer.from([0x22, 0xff, 0xfe, 0x22])), /not UTF-8 text/],
  ['an endless body', () => endless, /larger than 10240 bytes/],
  ['a body that is sent too slowly', () => trickling, /within 5 seconds/],
  ['a closed connection', () => closesConnection, /could not be reached/],
])('a file verifies nothing with %s', async (_, reply, message) => {
  const { domain, content, verified } = await verifyWith('http', reply)
  expectError(verified, 409, 'CONFLICT', message)
  expect(verified.body.error.message).toContain(`https://${domain}/.well-known/reg-agent.json`)
  expect(verified.text).not.toContain(content.token)
})

it.concurrent('a file may begin with a byte order mark', async () => {
  const { verified } = await verifyWith('http', (proof) => respond(`\ufeff${proof}`), 'verified')
  expect(verified.status).toBe(200)
})

it.concurrent.each([
  ['has no record', '{"Status":3}'.padEnd(RESOLVER_MAX_BYTES), /has no TXT record/],
  ['has broken name servers', '{"Status":2}', /SERVFAIL/],
])('a domain that %s is not verified', async (_, body, message) => {
  const { verified } = await verifyWith('dns', () => respond(body))
  expectError(verified, 409, 'CONFLICT', message)
})

it.concurrent.each([
  ['closes the connection', closesConnection],
  ['returns 500', respond('{}', 500)],
  ['redirects', redirecting],
  ['returns HTML', respond('<html>')],
  ['returns another object', respond('{"Status":"0","Answer":[]}')],
  ['returns a byte too many', respond('{"Status":3}'.padEnd(RESOLVER_MAX_BYTES + 1))],
  ['returns an endless body', endless],
  ['sends too slowly', trickling],
] as const)('returns 503 if the resolver %s', async (_, reply) => {
  const { verified } = await verifyWith('dns', () => reply)
  expectError(verified, 503, 'SERVICE_UNAVAILABLE', /resolver/)
  expect(verified.headers.get('retry-after')).toMatch(/^\d+$/)
})
