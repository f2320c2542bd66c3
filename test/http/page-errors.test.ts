import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freshIp, shared } from '../support/harness.ts'
import { attributeOf, pageReader, textsOf } from '../support/pages.ts'

const h = shared()
const read = pageReader(h)

it('an unknown path returns a page with a search if HTML is preferred, and JSON otherwise', async () => {
  const page = await read('/no/such/page?x=1')
  expect(page.status).toBe(404)
  expect(textsOf(page, 'h1')).toEqual(['This page does not exist'])
  expect(page.text).toContain('/no/such/page does not exist.')
  expect(attributeOf(page, '<form', 'action')).toBe('/agents')
  expect(attributeOf(page, 'name="robots"', 'content')).toBe('noindex')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('vary')).toMatch(/\bAccept\b/)
  for (const accept of [
    '*/*',
    'application/json',
    'application/json;q=0.5',
    'text/html;q=0.5, application/json',
  ]) {
    const program = await read('/no/such/page', { accept })
    expect([accept, program.status, JSON.parse(program.html).error.code]).toEqual([accept, 404, 'NOT_FOUND'])
  }
  for (const path of ['/api/v1/no-such', '/log/no-such', '/.well-known/no-such', '/internal/no-such'])
    expect(JSON.parse((await read(path)).html).error.status).toBe(404)
  const hostile = await read('/%22%3E%3Cscript%3Ealert(1)%3C/script%3E')
  expect(hostile.status).toBe(404)
  expect(hostile.html).not.toContain('<script>alert')
  expect((await read('//evil.example/x')).html).not.toContain('href="//')
})

it('a page requested with another method names the supported ones, and links to itself', async () => {
  const page = await read('/agents', { method: 'POST' })
  expect(page.status).toBe(405)
  expect(page.headers.get('allow')).toBe('GET, HEAD')
  expect(page.html).toContain(`<a href="${h.base_url}/agents">Open the page</a>`)
})

it('every page says when to continue after too many requests', async () => {
  const ip = freshIp()
  await Promise.all(Array.from({ length: 125 }, () => read('/no/such/page', { ip })))
  let page = await read('/agents?q=x', { ip })
  for (let n = 0; n < 250 && page.status !== 429; n++) page = await read('/agents?q=x', { ip }) // if a minute has ended
  expect(page.status).toBe(429)
  expect(page.text).toMatch(/Rate limit of 120 requests per minute exceeded; try again in \d+ s\./)
  expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(page.html).toContain(`<a href="${h.base_url}/agents?q=x">Try again</a>`)
  for (const path of ['/', `/operators/${crypto.randomUUID()}`, '/platforms/acme-market']) {
    expect([path, (await read(path, { ip })).status]).toEqual([path, 429])
  }
  expect((await read('/status', { ip })).status).toBe(200)
})

it('an internal error shows the request id, and nothing else', async () => {
  const rejecting = createServer((_, response) =>
    response.writeHead(400).end(JSON.stringify({ message: 'private text', code: '42601' })),
  )
  await new Promise<void>((resolve) => rejecting.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void rejecting.close())
  const { port } = rejecting.address() as AddressInfo
  await using worker = await h.variant({ NEON_SQL_URL: `http://127.0.0.1:${port}` })
  const page = await read('/agents', { base: worker.url })
  expect(page.status).toBe(500)
  expect(page.text).toContain(`500 INTERNAL_ERROR · request ${page.headers.get('x-request-id')}`)
  expect(page.html).not.toMatch(/private text|TypeError|select/)
})

it('an error page links to the explanation of its code', async () => {
  const page = await read('/platforms/Wrong_Slug')
  expect(attributeOf(page, '/docs/errors#', 'href')).toBe('/docs/errors#VALIDATION_ERROR')
  expect(page.headers.get('link')).toContain('/docs/errors#VALIDATION_ERROR')
})
