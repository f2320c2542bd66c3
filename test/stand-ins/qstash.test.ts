import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Client, Receiver, SignatureError } from '@upstash/qstash'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startQStash } from '../../local/stand-ins/qstash/index.ts'
import { recordedCalls, serve } from '../../local/stand-ins/serve.ts'
import { SOON } from '../support/patience.ts'

interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

interface Reply {
  status: number
  headers?: Record<string, string>
  body?: string
}

const NOON = Date.parse('2031-05-01T12:00:00.000Z')

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'qstash-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function start(options: { dir?: string; timeScale?: number } = {}) {
  const dir = options.dir ?? (await folder())
  const stack = await startQStash({ dir, say: () => undefined, timeScale: options.timeScale ?? 1 })
  onTestFinished(() => stack.stop())
  const client = new Client({ baseUrl: stack.url, token: stack.token, retry: false, devMode: false })
  const post = async (path: string, body: unknown) => {
    const response = await fetch(stack.url + path, { method: 'POST', body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  return { ...stack, dir, client, post }
}

/** A stack whose clock only moves when it is told to; `stands: false` lets it run during deliveries. */
async function startVirtual({ stands = true, ...options }: { dir?: string; stands?: boolean } = {}) {
  const stack = await start(options)
  await stack.post('/-/clock', { mode: 'virtual', now: NOON, stands })
  return stack
}

async function destination(reply: (request: Received) => Reply | Promise<Reply> = () => ({ status: 200 })) {
  const received: Received[] = []
  const server = await serve('destination', async (request, response) => {
    const { method = '', url = '', headers } = request
    const got = { method, path: url, headers, body: await buffer(request) }
    received.push(got)
    const { status, headers: sent, body } = await reply(got)
    response.writeHead(status, sent).end(body)
  })
  onTestFinished(() => server.stop())
  return {
    url: `${server.url}/internal/qstash/deliver`,
    received,
    stop: server.stop,
    /** Virtual seconds after noon at which each request came, to the nearest second. */
    seconds: () =>
      received.map(({ headers }) => Math.round((Date.parse(`${headers['x-test-now']}`) - NOON) / 1000)),
  }
}

function verify(request: Received | undefined, url: string, keys: { current: string; next: string }) {
  const receiver = new Receiver({
    currentSigningKey: keys.current,
    nextSigningKey: keys.next,
    devMode: false,
  })
  const signature = String(request?.headers['upstash-signature'])
  return receiver.verify({ signature, body: String(request?.body), url })
}

function keysOf(stack: { currentSigningKey: string; nextSigningKey: string }) {
  return { current: stack.currentSigningKey, next: stack.nextSigningKey }
}

const arrived = (place: { received: Received[] }, count = 1) =>
  vi.waitFor(() => expect(place.received.length).toBeGreaterThanOrEqual(count), { ...SOON, interval: 2 })

describe('publish', () => {
  it('reaches the destination byte-exact, signed for this body, key and URL only', async () => {
    const stack = await start()
    const place = await destination()
    const body = { text: 'späte Grüße \u2028 "1"', list: [1.5, null] }
    const { messageId } = await stack.client.publishJSON({ url: place.url, body })
    await arrived(place)
    const [request] = place.received
    const keys = keysOf(stack)
    expect(request?.body.toString()).toBe(JSON.stringify(body))
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'upstash-message-id': messageId,
      'upstash-retried': '0',
      'user-agent': 'Upstash-QStash',
    })
    expect(request?.headers).not.toHaveProperty('x-test-now')
    expect(await verify(request, place.url, keys)).toBe(true)
    await expect(verify(request, `${place.url}/`, keys)).rejects.toThrow(SignatureError)
    await expect(verify(request, place.url, { current: 'a', next: 'b' })).rejects.toThrow(SignatureError)
    const changed = request && { ...request, body: Buffer.from('{}') }
    await expect(verify(changed, place.url, keys)).rejects.toThrow(SignatureError)
  })

  it('keeps binary bodies, the query of the destination, the method, and forwarded headers only', async () => {
    const stack = await start()
    const place = await destination()
    const url = `${place.url}?a=b%2Fc&d=http://x/`
    const response = await fetch(`${stack.url}/v2/publish/${url}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${stack.token}`,
        'Upstash-Method': 'PUT',
        'Upstash-Forward-X-Trace': 'abc',
        'X-Own': 'stays here',
      },
      body: new Uint8Array([0, 255, 10, 128]),
    })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ url })
    await arrived(place)
    const [request] = place.received
    expect(request).toMatchObject({ method: 'PUT', path: '/internal/qstash/deliver?a=b%2Fc&d=http://x/' })
    expect(request?.headers).toMatchObject({ 'x-trace': 'abc' })
    expect(request?.headers).not.toHaveProperty('x-own')
    expect([...(request?.body ?? [])]).toEqual([0, 255, 10, 128])
  })

  it('refuses a wrong token, a destination without scheme, and a malformed option', async () => {
    const stack = await start()
    const stranger = new Client({ baseUrl: stack.url, token: 'wrong', retry: false, devMode: false })
    await expect(stranger.publish({ url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({ status: 401 })
    await expect(stack.client.publish({ url: '127.0.0.1/x' })).rejects.toMatchObject({ status: 400 })
    const headers = { 'Upstash-Delay': 'soon' }
    await expect(stack.client.publish({ url: 'http://127.0.0.1:1/', headers })).rejects.toMatchObject({
      status: 400,
    })
    expect(stack.control.messages()).toEqual([])
  })

  it('answers a repeated deduplication id with the first message, also after a restart', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const publish = (client: Client) =>
      client.publishJSON({ url: place.url, deduplicationId: 'd:1:p1', body: 1 })
    const first = await publish(stack.client)
    expect(first).not.toHaveProperty('deduplicated')
    expect(await publish(stack.client)).toEqual({ ...first, deduplicated: true })
    await stack.control.runUntilIdle()
    await stack.stop()
    const again = await startVirtual({ dir: stack.dir })
    expect(again.control.messages()).toEqual([])
    expect(await publish(again.client)).toEqual({ ...first, deduplicated: true })
    expect(await again.control.runUntilIdle()).toMatchObject({ delivered: 0 })
    expect(place.received).toHaveLength(1)
  })

  it('takes a batch as a whole, each item with its own options', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const answers = await stack.client.batchJSON([
      { url: place.url, body: { n: 1 }, delay: 60, label: 'late' },
      { url: place.url, body: { n: 2 }, deduplicationId: 'x' },
      { url: place.url, body: { n: 3 }, deduplicationId: 'x' },
    ])
    expect(answers.map((answer) => 'deduplicated' in answer)).toEqual([false, false, true])
    const bad = [
      { url: place.url, body: 4 },
      { url: 'nowhere', body: 5 },
    ]
    await expect(stack.client.batchJSON(bad)).rejects.toMatchObject({ status: 400 })
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 2 })
    expect(place.received.map(({ body }) => body.toString())).toEqual(['{"n":2}', '{"n":1}'])
    expect(place.seconds()).toEqual([0, 60])
  })

  it('shows a pending message, and cancels it', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const { messageId } = await stack.client.publishJSON({
      url: place.url,
      body: { a: 1 },
      delay: '2h',
      label: 'agent.registered',
      retries: 1,
      flowControl: { key: 'plt_1', parallelism: 5 },
    })
    expect(await stack.client.messages.get(messageId)).toMatchObject({
      messageId,
      url: place.url,
      body: '{"a":1}',
      label: 'agent.registered',
      maxRetries: 1,
      flowControlKey: 'plt_1',
      parallelism: 5,
      createdAt: NOON,
      notBefore: NOON + 7_200_000,
    })
    const listed = await (await fetch(`${stack.url}/-/messages`)).json()
    expect(listed).toMatchObject([
      { messageId, due: '2031-05-01T14:00:00.000Z', retried: 0, inFlight: false },
    ])
    expect(await stack.client.messages.cancel(messageId)).toEqual({ cancelled: 1 })
    await expect(stack.client.messages.get(messageId)).rejects.toMatchObject({ status: 404 })
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 0 })
  })

  it('does not repeat a message that is cancelled in flight, whatever its answer', async () => {
    const stack = await startVirtual()
    const place = await destination(async ({ headers }) => {
      await stack.client.messages.cancel(String(headers['upstash-message-id']))
      return { status: 500 }
    })
    await stack.client.publishJSON({ url: place.url, body: 1, retries: 0 })
    await stack.control.runUntilIdle()
    expect(place.received).toHaveLength(1)
    expect((await stack.client.dlq.listMessages()).messages).toEqual([])
  })
})

describe('time', () => {
  it('scales waits on the real clock', async () => {
    const stack = await start({ timeScale: 0.001 })
    const replies = [500, 200]
    const place = await destination(() => ({ status: replies.shift() ?? 200 }))
    const began = performance.now()
    await stack.client.publishJSON({ url: place.url, body: 1, delay: '2m' })
    await arrived(place, 2)
    const elapsed = performance.now() - began
    expect(elapsed).toBeGreaterThanOrEqual(130)
    expect(elapsed).toBeLessThan(60_000) // unscaled it is two minutes
  })

  it('delivers at the virtual due time, by delay and by date', async () => {
    const stack = await startVirtual()
    const place = await destination()
    await stack.client.publishJSON({ url: place.url, body: 1, delay: 9360 })
    await stack.client.publishJSON({ url: place.url, body: 2, notBefore: NOON / 1000 + 360, delay: 1 })
    expect(await stack.post('/-/clock/advance', { ms: 359_000 })).toMatchObject({ body: { delivered: 0 } })
    const advanced = await stack.control.advance(1000)
    expect(advanced.delivered).toBe(1)
    await stack.control.runUntilIdle()
    expect(place.received.map(({ body }) => body.toString())).toEqual(['2', '1'])
    expect(place.seconds()).toEqual([360, 9360])
  })

  it('runs until idle through messages that beget messages, up to a limit', async () => {
    const stack = await startVirtual()
    const delays = [60, 240, 1800, 7200]
    const place = await destination(async () => {
      const delay = delays.shift()
      if (delay !== undefined) await stack.client.publishJSON({ url: place.url, body: delay, delay })
      return { status: 200 }
    })
    await stack.client.publishJSON({ url: place.url, body: 0 })
    const first = await stack.post('/-/run-until-idle', { limitMs: 600_000 })
    expect(first).toMatchObject({ status: 200, body: { delivered: 3 } })
    expect(stack.control.messages()).toHaveLength(1)
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 2 })
    expect(place.seconds()).toEqual([0, 60, 300, 2100, 9300])
  })

  it('waits for a message that is still to be published, when asked to', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const ran = stack.control.runUntilIdle({ atLeast: 1 })
    await stack.client.publishJSON({ url: place.url, body: 1, delay: 30 })
    expect(await ran).toMatchObject({ delivered: 1 })
    expect(place.seconds()).toEqual([30])
  })

  it('lets a delivery that takes real time take virtual time', async () => {
    const stack = await startVirtual({ stands: false })
    const place = await destination(async ({ body }) => {
      if (body.toString() === '2') return { status: 200 }
      await new Promise((resolve) => setTimeout(resolve, 120))
      await stack.client.publishJSON({ url: place.url, body: 2 })
      return { status: 200 }
    })
    await stack.client.publishJSON({ url: place.url, body: 1 })
    const { now } = await stack.control.runUntilIdle()
    const published = Date.parse(`${place.received[1]?.headers['x-test-now']}`) - NOON
    expect(published).toBeGreaterThanOrEqual(119)
    expect(Date.parse(now) - NOON).toBeGreaterThanOrEqual(published)
  })

  it('lets no delivery take virtual time when the clock stands', async () => {
    const stack = await startVirtual()
    const place = await destination(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { status: 500, headers: { 'Retry-After': '60' } }
    })
    await stack.client.publishJSON({ url: place.url, body: 1, retries: 2 })
    const { now } = await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 60, 120])
    expect(Date.parse(now)).toBe(NOON + 120_000)
  })

  it('keeps the rest of a wait when the clock is set, and delivers by itself on the real one only', async () => {
    const stack = await startVirtual()
    const place = await destination()
    await stack.client.publishJSON({ url: place.url, body: 1 })
    await stack.post('/-/clock', { mode: 'virtual', now: '2040-01-01T00:00:00.000Z' })
    expect(stack.control.messages()).toMatchObject([{ due: '2040-01-01T00:00:00.000Z' }])
    expect(place.received).toEqual([])
    expect(await stack.post('/-/clock', { mode: 'real' })).toMatchObject({ body: { mode: 'real' } })
    await arrived(place)
    await expect(stack.control.advance(1)).rejects.toThrow('the clock is real')
  })
})

describe('failure', () => {
  it('tries four times by default, with the documented back-off, then keeps a dead letter', async () => {
    const stack = await startVirtual()
    const place = await destination(() => ({ status: 500, body: 'broken' }))
    const { messageId } = await stack.client.publishJSON({ url: place.url, body: { a: 1 }, label: 'x' })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 12, 160, 1968])
    expect(place.received.map(({ headers }) => headers['upstash-retried'])).toEqual(['0', '1', '2', '3'])
    const { messages } = await stack.client.dlq.listMessages()
    expect(messages).toMatchObject([
      { messageId, url: place.url, body: '{"a":1}', label: 'x', responseStatus: 500, responseBody: 'broken' },
    ])
    const { logs } = await stack.client.logs({ filter: { messageId } })
    const retried = ['RETRY', 'ERROR', 'ACTIVE']
    const states = ['FAILED', 'ERROR', 'ACTIVE', ...retried, ...retried, ...retried, 'CREATED']
    expect(logs.map(({ state }) => state)).toEqual(states)
  })

  it.each([
    ['Retry-After', '7', 7],
    ['Retry-After', '0', 0],
    ['Retry-After', '6m5s', 365],
    ['Retry-After', new Date(NOON + 90_000).toUTCString(), 90],
    ['Retry-After', '86401', 12],
    ['Retry-After', 'later', 12],
    ['X-RateLimit-Reset', '33', 33],
    ['X-RateLimit-Reset', String(NOON / 1000), 12],
  ])('waits after "%s: %s" for %i seconds', async (name, value, seconds) => {
    const stack = await startVirtual()
    const place = await destination(() => ({ status: 503, headers: { [name]: value } }))
    await stack.client.publishJSON({ url: place.url, body: 1, retries: 1 })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, seconds])
  })

  it('gives up at once on 489 with Upstash-NonRetryable-Error, and on no other 489', async () => {
    const stack = await startVirtual()
    const headers = { 'Upstash-NonRetryable-Error': 'true' }
    const final = await destination(() => ({ status: 489, headers }))
    const plain = await destination(() => ({ status: 489 }))
    await stack.client.publishJSON({ url: final.url, body: 1 })
    await stack.client.publishJSON({ url: plain.url, body: 1, retries: 1 })
    await stack.control.runUntilIdle()
    expect([final.received.length, plain.received.length]).toEqual([1, 2])
    expect((await stack.client.dlq.listMessages()).messages).toHaveLength(2)
  })

  it('publishes a dead letter again as a new message, once', async () => {
    const stack = await startVirtual()
    let status = 500
    const place = await destination(() => ({ status }))
    const { messageId } = await stack.client.publishJSON({ url: place.url, body: 'same', retries: 0 })
    await stack.control.runUntilIdle()
    const [letter] = (await stack.client.dlq.listMessages()).messages
    status = 200
    const { responses } = await stack.client.dlq.retry(letter?.dlqId ?? '')
    expect(responses).toHaveLength(1)
    expect(responses[0]?.messageId).not.toBe(messageId)
    await stack.control.runUntilIdle()
    expect(place.received.map(({ body }) => body.toString())).toEqual(['"same"', '"same"'])
    expect((await stack.client.dlq.listMessages()).messages).toEqual([])
    expect(await stack.client.dlq.retry(letter?.dlqId ?? '')).toMatchObject({ responses: [] })
  })

  it('calls the failure callback with the documented body, as a signed message of its own', async () => {
    const stack = await startVirtual()
    const place = await destination(() => ({ status: 418, headers: { 'X-Why': 'tea' }, body: 'short' }))
    const callback = await destination()
    const { messageId } = await stack.client.publishJSON({
      url: place.url,
      body: { a: 1 },
      retries: 1,
      failureCallback: callback.url,
      headers: { 'Upstash-Failure-Callback-Forward-X-Trace': 'abc' },
    })
    await stack.control.runUntilIdle()
    const [request] = callback.received
    const [letter] = (await stack.client.dlq.listMessages()).messages
    expect(JSON.parse(String(request?.body))).toMatchObject({
      status: 418,
      header: { 'x-why': ['tea'] },
      body: btoa('short'),
      retried: 1,
      maxRetries: 1,
      dlqId: letter?.dlqId,
      sourceMessageId: messageId,
      url: place.url,
      method: 'POST',
      sourceHeader: { 'content-type': ['application/json'] },
      sourceBody: btoa('{"a":1}'),
    })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-trace': 'abc' })
    expect(request?.headers['upstash-message-id']).not.toBe(messageId)
    expect(await verify(request, callback.url, keysOf(stack))).toBe(true)
  })

  it('counts a destination that is down, and one that hangs beyond the timeout, as failed tries', async () => {
    const stack = await startVirtual()
    const down = await destination()
    await down.stop()
    const hanging = await destination(() => new Promise(() => undefined))
    await stack.client.publishJSON({ url: down.url, body: 1, retries: 0 })
    await stack.client.publishJSON({ url: hanging.url, body: 1, retries: 0, timeout: 2 })
    await stack.control.runUntilIdle()
    const { messages } = await stack.client.dlq.listMessages()
    expect(messages.map(({ responseStatus }) => responseStatus)).toEqual([0, 0])
    expect(hanging.received).toHaveLength(1)
  })
})

describe('flow control', () => {
  it('keeps at most the given number of messages of a key in flight', async () => {
    const stack = await start()
    const held: (() => void)[] = []
    const place = await destination(async ({ body }) => {
      if (body.toString() !== '"free"') await new Promise<void>((resolve) => held.push(resolve))
      return { status: 200 }
    })
    const flowControl = { key: 'plt_1', parallelism: 2 }
    for (const n of [1, 2, 3, 4, 5]) await stack.client.publishJSON({ url: place.url, body: n, flowControl })
    await stack.client.publishJSON({ url: place.url, body: 'free' })
    for (const expected of [3, 4, 5, 6]) {
      await arrived(place, expected)
      const inFlight = () => stack.control.messages().filter((message) => message.inFlight)
      await vi.waitFor(() => expect(inFlight()).toHaveLength(2), SOON) // a response is settled a moment after
      expect(place.received).toHaveLength(expected)
      held.shift()?.()
    }
    held.shift()?.()
    await vi.waitFor(() => expect(stack.control.messages()).toEqual([]), SOON)
  })

  it('starts at most the given number of messages of a key in a period', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const flowControl = { key: 'plt_1', rate: 2, period: '1m' as const }
    for (const n of [1, 2, 3, 4, 5]) await stack.client.publishJSON({ url: place.url, body: n, flowControl })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 0, 60, 60, 120])
  })
})

describe('persistence', () => {
  it('keeps pending messages and dead letters over a restart, and delivers the one in flight again', async () => {
    const stack = await start()
    const failing = await destination(() => ({ status: 500 }))
    const failureCallback = 'http://127.0.0.1:9/failed'
    const headers = { 'Upstash-Failure-Callback-Delay': '1h' }
    let stuck = true
    const place = await destination(() => (stuck ? new Promise(() => undefined) : { status: 200 }))
    await stack.client.publishJSON({ url: failing.url, body: 'dead', retries: 0, failureCallback, headers })
    await vi.waitFor(
      async () => expect((await stack.client.dlq.listMessages()).messages).toHaveLength(1),
      SOON,
    )
    const { messageId } = await stack.client.publishJSON({ url: place.url, body: 'in flight' })
    const later = await stack.client.publishJSON({ url: place.url, body: 'later', delay: '1h' })
    await arrived(place)
    await stack.stop()
    stuck = false
    await appendFile(join(stack.dir, 'messages.jsonl'), '[["message:torn",{"id":')

    const again = await start({ dir: stack.dir })
    await arrived(place, 2)
    expect(place.received.map(({ headers }) => headers['upstash-message-id'])).toEqual([messageId, messageId])
    expect((await again.client.dlq.listMessages()).messages).toMatchObject([{ body: '"dead"' }])
    expect(again.control.messages().map(({ url }) => url)).toContain(failureCallback)
    const kept = await again.client.messages.get(later.messageId)
    expect((kept.notBefore ?? 0) - kept.createdAt).toBe(3_600_000)
  })

  it('loses no accepted message when it is killed', async () => {
    const dir = await folder()
    const place = await destination(() => new Promise(() => undefined))
    const entry = new URL('../../local/stand-ins/qstash/index.ts', import.meta.url).href
    const script = `import { startQStash } from ${JSON.stringify(entry)}
      const { url, token } = await startQStash({ dir: process.argv[1], say() {}, timeScale: 1 })
      console.log(JSON.stringify({ url, token }))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, dir])
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout, 'data')
    const { url: baseUrl, token } = JSON.parse(String(line))
    const client = new Client({ baseUrl, token, retry: false, devMode: false })
    const accepted = await Promise.all(
      Array.from({ length: 25 }, async (_, n) => {
        const { messageId } = await client.publishJSON({
          url: place.url,
          body: n,
          delay: n % 2 ? '1h' : '0s',
        })
        return messageId
      }),
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { control } = await start({ dir })
    expect(control.messages().map(({ messageId }) => messageId)).toEqual(expect.arrayContaining(accepted))
  })
})

describe('faults', () => {
  it('deliverTwice: two requests with one message id, on each try', async () => {
    const stack = await startVirtual()
    const place = await destination()
    expect(await stack.post('/-/faults', { deliverTwice: true })).toMatchObject({
      body: { deliverTwice: true },
    })
    const { messageId } = await stack.client.publishJSON({ url: place.url, body: 1 })
    await stack.control.runUntilIdle()
    expect(place.received.map(({ headers }) => headers['upstash-message-id'])).toEqual([messageId, messageId])
    expect(stack.control.messages()).toEqual([])
  })

  it('dropAnswer: the destination is called again after the back-off', async () => {
    const stack = await startVirtual()
    const place = await destination()
    stack.control.setFaults({ dropAnswer: 1 })
    await stack.client.publishJSON({ url: place.url, body: 1 })
    await stack.control.runUntilIdle()
    expect(place.seconds()).toEqual([0, 12])
    expect(stack.control.faults().dropAnswer).toBe(false)
  })

  it('refusePublish: 503 on publish and batch, which the client does not repeat', async () => {
    const stack = await startVirtual()
    const place = await destination()
    const retrying = new Client({ baseUrl: stack.url, token: stack.token, devMode: false })
    const message = { url: place.url, body: 1 }
    stack.control.setFaults({ refusePublish: 2 })
    const before = recordedCalls().length
    await expect(retrying.publishJSON(message)).rejects.toMatchObject({ status: 503 })
    await expect(retrying.batchJSON([{ ...message }])).rejects.toMatchObject({ status: 503 })
    expect(recordedCalls().length - before).toBe(2)
    await retrying.publishJSON(message)
    expect(await stack.control.runUntilIdle()).toMatchObject({ delivered: 1 })
  })

  it('loseMessage: accepted, and never seen again', async () => {
    const stack = await startVirtual()
    const place = await destination()
    stack.control.setFaults({ loseMessage: 1 })
    const lost = await stack.client.publishJSON({ url: place.url, body: 'lost' })
    await stack.client.publishJSON({ url: place.url, body: 'kept' })
    expect(lost.messageId).toMatch(/^msg_/)
    await stack.control.runUntilIdle()
    expect(place.received.map(({ body }) => body.toString())).toEqual(['"kept"'])
  })

  it('signWithNextKey: accepted by a receiver that knows both keys, refused by one that does not', async () => {
    const stack = await startVirtual()
    const place = await destination()
    stack.control.setFaults({ signWithNextKey: true })
    await stack.client.publishJSON({ url: place.url, body: 1 })
    await stack.control.runUntilIdle()
    const { current, next } = keysOf(stack)
    expect(await verify(place.received[0], place.url, { current, next })).toBe(true)
    await expect(verify(place.received[0], place.url, { current, next: current })).rejects.toThrow(
      SignatureError,
    )
  })

  it('wrongBodyHash: refused by the receiver, until the switches are cleared', async () => {
    const stack = await startVirtual()
    const place = await destination()
    stack.control.setFaults({ wrongBodyHash: true })
    await stack.client.publishJSON({ url: place.url, body: 1 })
    await stack.control.runUntilIdle()
    await expect(verify(place.received[0], place.url, keysOf(stack))).rejects.toThrow(
      'body hash does not match',
    )
    await fetch(`${stack.url}/-/faults`, { method: 'DELETE' })
    await stack.client.publishJSON({ url: place.url, body: 2 })
    await stack.control.runUntilIdle()
    expect(await verify(place.received[1], place.url, keysOf(stack))).toBe(true)
  })
})
