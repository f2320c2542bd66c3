import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/webhooks/index.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { jsonOf, newCli, type Started } from '../support/cli.ts'
import { ago, fillDeliveries } from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, freshSlug, type Receiver, shared, startReceiver } from '../support/harness.ts'

const h = shared()

/** The command line of an operator with a platform, and a local receiver. */
async function atPlatform(fields: object = {}, options: Parameters<typeof newCli>[1] = {}) {
  const operator = await h.newOperator({ tier: 'pro' })
  const platform = await h.newPlatform(operator, fields)
  const receiver = await startReceiver()
  const cli = await newCli(h.base_url, options)
  const more = { env: { AGENTREG_TOKEN: operator.token } }
  return {
    operator,
    slug: platform.slug as string,
    receiver,
    cli,
    run: (...args: string[]) => cli.runWith(more, ...args),
    start: (...args: string[]) => cli.start(args, more),
    [Symbol.asyncDispose]: async () => {
      await cli[Symbol.asyncDispose]()
      await receiver.stop()
    },
  }
}

/** Waits until a process has printed a text; returns its whole output. */
async function untilPrinted(process: Started, text: string): Promise<string> {
  const all = await eventually(
    async () => process.out + process.err,
    (all) => all.includes(text),
  )
  expect(all).toContain(text)
  return all
}

const verified = (secret: string, { received }: Receiver) =>
  Promise.all(received.map(({ headers, raw }) => verifyWebhook(secret, headers, raw)))

describe('listen', () => {
  it('forwards each new event once to a local URL, signed with a temporary secret', async () => {
    await using hook = await startHook()
    await using fixture = await atPlatform({ webhook_url: hook.url })
    const { operator, slug, receiver, start } = fixture
    await h.newAgent(operator, { platform_slug: slug, name: 'Before' })
    const listening = start('listen', '--forward-to', receiver.url, '--poll', '1')
    const head = await untilPrinted(listening, 'Waiting for events')
    const secret = /whsec_\S+/.exec(head)?.[0] ?? ''
    const { reg } = await h.newAgent(operator, { platform_slug: slug, name: 'First' })
    await h.api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'Second' } })
    await receiver.arrival(2)
    receiver.respond(500)
    await h.api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'Third' } })
    await receiver.arrival(3)
    await untilPrinted(listening, '→ 500')
    listening.kill('SIGINT')
    expect(await listening.ended).toMatchObject({ status: 0 })

    const events = await verified(secret, receiver)
    expect(events.map(({ event, reason }) => [event?.type, reason])).toEqual([
      ['agent.registered', null],
      ['agent.updated', null],
      ['agent.updated', null],
    ])
    expect(receiver.received.map(({ event }) => event.data.name)).toEqual(['First', 'Second', 'Third'])
    const stored = await h.sql('select id from webhook_events where data ->> $1 = $2 order by created_at', [
      'reg',
      reg,
    ])
    expect(receiver.received.map(({ event }) => event.id)).toEqual(stored.map(({ id }: Body) => id))
    expect(listening.out.match(/→ 200/g)).toHaveLength(2)
  })

  it('continues after an outage of the registry, forwards only the requested types, and prints JSON', async () => {
    let isDown = false
    const tamper = () => {
      if (isDown) throw new Error('down')
      return undefined
    }
    await using hook = await startHook()
    await using fixture = await atPlatform({ webhook_url: hook.url }, { tamper })
    const { operator, slug, receiver, start } = fixture
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const args = ['--events', 'agent.updated,agent.deactivated', '--secret', secret, '--poll', '1', '--json']
    const listening = start('listen', '--forward-to', receiver.url, ...args)
    await untilPrinted(listening, secret)
    isDown = true
    const { reg } = await h.newAgent(operator, { platform_slug: slug })
    await h.api('PATCH', `/agents/${reg}`, { token: operator.token, body: { name: 'New' } })
    await untilPrinted(listening, 'trying again')
    isDown = false
    await receiver.arrival(1)
    listening.kill('SIGTERM')
    const { status, out } = await listening.ended
    expect(status).toBe(0)
    const [head, line] = out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(head).toEqual({ platform: slug, forward_to: receiver.url, secret })
    expect(line).toMatchObject({ type: 'agent.updated', status: 200, error: null })
    expect((await verified(secret, receiver)).map(({ reason }) => reason)).toEqual([null])
  })

  it('names what is missing: a login, a platform, or which of several platforms', async () => {
    await using cli = await newCli(h.base_url)
    const args = ['listen', '--forward-to', 'http://localhost:1']
    expect(await cli.run(...args)).toMatchObject({
      status: 2,
      err: expect.stringContaining('agentreg login'),
    })
    const operator = await h.newOperator()
    const more = { env: { AGENTREG_TOKEN: operator.token } }
    const none = await cli.runWith(more, ...args)
    expect(none).toMatchObject({
      status: 2,
      err: expect.stringMatching(/agentreg platforms create .* agentreg trigger .* --forward-to/),
    })
    const made = await Promise.all([h.newPlatform(operator), h.newPlatform(operator)])
    const several = await cli.runWith(more, ...args)
    expect(several).toMatchObject({ status: 2, err: expect.stringContaining('add --platform with one of') })
    for (const { slug } of made) expect(several.err).toContain(slug)
    const withoutUrl = await cli.runWith(more, ...args, '--platform', made[0].slug)
    expect(withoutUrl).toMatchObject({ status: 2, err: expect.stringContaining('has no webhook URL') })
  })
})

describe('trigger', () => {
  it("has the registry send an example event to the platform's URL", async () => {
    await using hook = await startHook()
    await using fixture = await atPlatform({ webhook_url: hook.url })
    const sent = jsonOf(await fixture.run('trigger', 'incident.created', '--json'))
    const [webhook] = await hook.arrival(1)
    expect(webhook?.event).toMatchObject({
      id: sent.event_id,
      type: 'incident.created',
      data: { test: true },
    })
  })

  it('sends an example event to a local URL, and prints whether the receiver accepted it', async () => {
    await using fixture = await atPlatform()
    const { cli, receiver, run } = fixture
    const bare = await run('trigger', 'trust.updated')
    expect(bare).toMatchObject({ status: 2, out: '', err: expect.stringContaining('--forward-to') })
    const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    const send = () => cli.run('trigger', 'trust.updated', '--forward-to', receiver.url, '--secret', secret)
    expect(await send()).toMatchObject({ status: 0, out: expect.stringContaining(': 200') })
    expect((await verified(secret, receiver)).map(({ event }) => event?.type)).toEqual(['trust.updated'])
    receiver.respond(401)
    expect(await send()).toMatchObject({ status: 1, err: expect.stringContaining('only 2xx') })
    const unsigned = await cli.run('trigger', 'trust.updated', '--forward-to', receiver.url)
    expect(unsigned).toMatchObject({ status: 2, err: expect.stringContaining('--secret') })
  })
})

/** A local receiver that verifies signatures with a secret, and returns the reason of a rejection. */
async function startVerifier(secret: string) {
  const server = createServer(async (request, response) => {
    const { reason } = await verifyWebhook(secret, request.headers, await buffer(request))
    response
      .writeHead(reason ? 401 : 204)
      .end(reason ? `${reason}\u001b[31m\n${'x'.repeat(100_000)}` : undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('prints the reason that a receiver returns, shortened and without control characters', async () => {
  const [secret, other] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`)
  await using verifier = await startVerifier(secret ?? '')
  await using cli = await newCli(h.base_url)
  const send = (...args: string[]) =>
    cli.run('trigger', 'trust.updated', '--forward-to', verifier.url, '--secret', ...args)
  expect(await send(secret ?? '')).toMatchObject({ status: 0, out: expect.stringContaining(': 204 (') })
  expect(jsonOf(await send(secret ?? '', '--json'))).toMatchObject({ status: 204, reason: null })
  const rejected = await send(other ?? '')
  expect(rejected).toMatchObject({
    status: 1,
    out: expect.stringContaining(': 401 signature_mismatch\u{fffd}[31m ('),
  })
  expect(rejected.out.length).toBeLessThan(300)
})

describe('platforms and deliveries', () => {
  it('are created, listed, shown, redelivered and recovered', async () => {
    await using hook = await startHook()
    await using fixture = await atPlatform({ webhook_url: hook.url })
    const { slug, run } = fixture
    const other = freshSlug()
    const made = await run('platforms', 'create', other, '--name', 'Other')
    expect(made).toMatchObject({ status: 0, out: expect.stringMatching(/\nwhsec_\S+\n$/) })
    expect((await run('platforms', 'list')).out).toContain(other)

    const [failed] = await fillDeliveries(h, slug, [{ status: 'failed', at: ago(3 * HOUR_MS) }])
    const of = ['--platform', slug]
    const list = await run('deliveries', 'list', '--status', 'failed', ...of)
    expect(list).toMatchObject({ status: 0, out: expect.stringContaining(failed.id) })
    const detail = await run('deliveries', 'get', failed.id, ...of)
    expect(detail.out).toMatch(/^5 .*500/m)
    expect(detail.out).toContain(failed.event_id)
    expect((await run('deliveries', 'redeliver', failed.id, ...of)).status).toBe(0)
    expect((await hook.arrival(1))[0]?.event.id).toBe(failed.event_id)
    const retried = await run('deliveries', 'retry', failed.id, ...of)
    expect(retried).toMatchObject({ status: 1, out: '', err: expect.stringMatching(/^error: .+\n next: /) })
    const [lost] = await fillDeliveries(h, slug, [{ status: 'failed', at: ago(HOUR_MS / 2) }])
    expect(jsonOf(await run('deliveries', 'recover', '--since', '1h', '--json', ...of))).toMatchObject({
      count: 1,
    })
    const arrived = await hook.arrival(2)
    expect(arrived.map(({ event }) => event.id)).toContain(lost.event_id)
    const long = await run('deliveries', 'recover', '--since', '15d', ...of)
    expect(long).toMatchObject({ status: 1, err: expect.stringMatching(/since: .*14 days/) })
    expect(await run('deliveries', 'recover', '--since', 'soon', ...of)).toMatchObject({ status: 2 })
  })
})

/** The receiver of a platform, stopped at the end of the test. */
async function startHook(): Promise<Receiver & AsyncDisposable> {
  const receiver = await startReceiver()
  return Object.assign(receiver, { [Symbol.asyncDispose]: () => receiver.stop() })
}
