import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/webhooks/index.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { expectRefused, jsonOf, newCli, type Started } from '../support/cli.ts'
import { ago, fillDeliveries } from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, freshSlug, type Receiver, shared, startReceiver } from '../support/harness.ts'

const h = shared()

/** The command line of an operator with a platform, the receiver of the platform, and a local one. */
async function atPlatform(options: Parameters<typeof newCli>[1] = {}) {
  const operator = await h.newOperator({ tier: 'pro' })
  const [hook, receiver] = [await startReceiver(), await startReceiver()]
  const { slug } = await h.newPlatform(operator, { webhook_url: hook.url })
  const cli = await newCli(h.base_url, options)
  const more = { env: { AGENTREG_TOKEN: operator.token } }
  return {
    operator,
    slug: slug as string,
    hook,
    receiver,
    cli,
    run: (...args: string[]) => cli.runWith(more, ...args),
    listen: (...args: string[]) =>
      cli.start(['listen', '--forward-to', receiver.url, '--poll', '1', ...args], more),
    [Symbol.asyncDispose]: async () => {
      await cli[Symbol.asyncDispose]()
      await Promise.all([hook.stop(), receiver.stop()])
    },
  }
}

/** Waits until a process has printed a text; returns its whole output. */
const untilPrinted = (process: Started, text: string) =>
  eventually(
    async () => process.out + process.err,
    (all) => all.includes(text),
  )

const verified = (secret: string, { received }: Receiver) =>
  Promise.all(received.map(({ headers, raw }) => verifyWebhook(secret, headers, raw)))

describe('listen', () => {
  it('forwards each new event once to a local URL, signed with a temporary secret', async () => {
    await using fixture = await atPlatform()
    const { operator, slug, receiver, listen } = fixture
    const { token } = operator
    await h.newAgent(operator, { platform_slug: slug, name: 'Before' })
    const listening = listen()
    const head = await untilPrinted(listening, 'Waiting for events')
    const secret = /whsec_\S+/.exec(head)?.[0] ?? ''
    const { reg } = await h.newAgent(operator, { platform_slug: slug, name: 'First' })
    await h.api('PATCH', `/agents/${reg}`, { token, body: { name: 'Second' } })
    await receiver.arrival(2)
    receiver.respond(500)
    await h.api('PATCH', `/agents/${reg}`, { token, body: { name: 'Third' } })
    await receiver.arrival(3)
    await untilPrinted(listening, '→ 500')
    listening.kill('SIGINT')
    expect(await listening.ended).toMatchObject({ status: 0 })

    expect((await verified(secret, receiver)).map(({ reason }) => reason)).toEqual([null, null, null])
    expect(receiver.received.map(({ event }) => event.data.name)).toEqual(['First', 'Second', 'Third'])
    const stored = await h.sql(
      `select id from webhook_events where data ->> 'reg' = $1 order by created_at`,
      [reg],
    )
    expect(receiver.received.map(({ event }) => event.id)).toEqual(stored.map(({ id }: Body) => id))
    expect(listening.out.match(/→ 200/g)).toHaveLength(2)
  })

  it('continues after an outage of the registry, forwards only the requested types, and prints JSON', async () => {
    let isDown = false
    const tamper = () => {
      if (isDown) throw new Error('down')
      return undefined
    }
    await using fixture = await atPlatform({ tamper })
    const { operator, slug, receiver, listen } = fixture
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const listening = listen('--events', 'agent.updated,agent.deactivated', '--secret', secret, '--json')
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
    const printed = out.trim().split('\n')
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      { platform: slug, forward_to: receiver.url, secret },
      expect.objectContaining({ type: 'agent.updated', status: 200, error: null }),
    ])
    expect((await verified(secret, receiver)).map(({ reason }) => reason)).toEqual([null])
  })

  it('names what is missing: a login, a platform, or which of several platforms', async () => {
    await using cli = await newCli(h.base_url)
    const command = 'listen --forward-to http://localhost:1'
    await expectRefused(cli.run, 2, [
      [command, /agentreg login/],
      [`${command} --poll 2147484`, /from 1 to 999999/], // more than a timer can wait
    ])
    const operator = await h.newOperator()
    const run = (...words: string[]) => cli.runWith({ env: { AGENTREG_TOKEN: operator.token } }, ...words)
    await expectRefused(run, 2, [[command, /agentreg platforms create .* agentreg trigger .* --forward-to/]])
    const { slug: one } = await h.newPlatform(operator)
    const { slug: two } = await h.newPlatform(operator)
    await expectRefused(run, 2, [
      [command, new RegExp(`add --platform with one of.*(${one}.*${two}|${two}.*${one})`)],
      [`${command} --platform ${one}`, /has no webhook URL/],
    ])
  })
})

it('trigger has the registry send an example event, or sends one to a local URL and prints its response', async () => {
  await using fixture = await atPlatform()
  const { cli, hook, receiver, run } = fixture
  const sent = jsonOf(await run('trigger', 'incident.created', '--json'))
  const [webhook] = await hook.arrival(1)
  expect(webhook?.event).toMatchObject({ id: sent.event_id, type: 'incident.created', data: { test: true } })

  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  const local = ['trigger', 'trust.updated', '--forward-to', receiver.url]
  const send = () => cli.run(...local, '--secret', secret)
  expect(await send()).toMatchObject({ status: 0, out: expect.stringContaining(': 200') })
  expect((await verified(secret, receiver)).map(({ event }) => event?.type)).toEqual(['trust.updated'])
  receiver.respond({ status: 401, body: `signature_mismatch\u001b[31m\n${'x'.repeat(100_000)}` })
  const rejected = await send()
  expect(rejected).toMatchObject({
    status: 1,
    out: expect.stringContaining(': 401 signature_mismatch\u{fffd}[31m ('),
    err: expect.stringContaining('only 2xx'),
  })
  expect(rejected.out.length).toBeLessThan(300)
  await expectRefused(run, 2, [
    [local.join(' '), /--secret/],
    [[...local, '--secret', 'whsec_AAAAA'].join(' '), /^error: --secret: must be whsec_/],
  ])
})

it('platforms and deliveries are created, listed, shown, redelivered and recovered', async () => {
  await using fixture = await atPlatform()
  const { slug, hook, run } = fixture
  const other = freshSlug()
  const made = await run('platforms', 'create', other, '--name', 'Other')
  expect(made).toMatchObject({ status: 0, out: expect.stringMatching(/\nwhsec_\S+\n$/) })
  expect((await run('platforms', 'list')).out).toContain(other)

  const [failed, lost] = await fillDeliveries(h, slug, [
    { status: 'failed', at: ago(3 * HOUR_MS) },
    { status: 'failed', at: ago(HOUR_MS / 2) },
  ])
  const of = ['--platform', slug]
  const list = await run('deliveries', 'list', '--status', 'failed', ...of)
  for (const { id } of [failed, lost]) expect(list.out).toContain(id)
  const detail = await run('deliveries', 'get', failed.id, ...of)
  expect(detail.out).toMatch(/^5 .*500/m)
  expect(detail.out).toContain(failed.event_id)
  expect((await run('deliveries', 'redeliver', failed.id, ...of)).status).toBe(0)
  expect((await hook.arrival(1))[0]?.event.id).toBe(failed.event_id)
  const recovered = await run('deliveries', 'recover', '--since', '1h', '--json', ...of)
  expect(jsonOf(recovered)).toMatchObject({ count: 1 })
  expect((await hook.arrival(2)).map(({ event }) => event.id)).toContain(lost.event_id)
  await expectRefused(run, 1, [[`deliveries retry ${failed.id} --platform ${slug}`, /^error: .+\n next: /]])
  await expectRefused(run, 2, [
    [`deliveries recover --since soon --platform ${slug}`, /since/],
    [`deliveries list --type agent.updated,trust.updated --platform ${slug}`, /is unknown: must be one of/],
  ])
})
