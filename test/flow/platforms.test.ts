import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Body, type Operator, ownStack, type Receiver, startReceiver } from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'

const own = await ownStack()
const receivers: Receiver[] = []

beforeAll(() => own.qstash.setClock({ mode: 'virtual' }))
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await own.stop()
})

async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

const change = ({ token }: Operator, { slug }: Body, body: object) =>
  own.api('PATCH', `/platforms/${slug}`, { token, body })

/** Registers an agent on the platform, and lets its webhook go out. */
async function happen(operator: Operator, { slug }: Body, atLeast = 1): Promise<void> {
  await own.newAgent(operator, { platform_slug: slug })
  await own.qstash.runUntilIdle({ atLeast })
}

it('signs with a new secret from its exchange on, and with the one before it too', async () => {
  const [operator, receiver] = await Promise.all([own.newOperator({ tier: 'pro' }), newReceiver()])
  const platform = await own.newPlatform(operator, { webhook_url: receiver.url })
  const rotate = () =>
    own.api('POST', `/platforms/${platform.slug}/webhook-secret`, { token: operator.token })
  const secrets: string[] = [platform.webhook_secret]
  for (let n = 0; n < 2; n++) secrets.push((await rotate()).body.webhook_secret)
  await happen(operator, platform)
  const [webhook] = receiver.received
  if (!webhook) throw new Error('no webhook')
  expectSigned(webhook, secrets[2] ?? '')
  const accepts = (secret: string) => {
    try {
      new Webhook(secret).verify(webhook.raw, webhook.headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
  expect(secrets.map(accepts)).toEqual([false, true, true])
})

it('sends to another URL, or other types, from the change on', async () => {
  const [operator, before, after] = await Promise.all([
    own.newOperator({ tier: 'pro' }),
    newReceiver(),
    newReceiver(),
  ])
  const platform = await own.newPlatform(operator, { webhook_url: before.url })
  await happen(operator, platform)
  await change(operator, platform, { webhook_url: after.url })
  await happen(operator, platform)
  await change(operator, platform, { event_types: ['trust.updated'] })
  await happen(operator, platform, 0)
  await change(operator, platform, { event_types: null, webhook_url: null })
  await happen(operator, platform, 0)
  expect([before, after].map(({ received }) => received.map(({ event }) => event.type))).toEqual([
    ['agent.registered'],
    ['agent.registered'],
  ])
})

it('sends again after a receiver that was gone is enabled, but not what was skipped', async () => {
  const [operator, receiver] = await Promise.all([own.newOperator({ tier: 'pro' }), newReceiver()])
  const platform = await own.newPlatform(operator, { webhook_url: receiver.url })
  receiver.answer(410)
  await happen(operator, platform)
  const seen = () => own.api('GET', `/platforms/${platform.slug}`, { token: operator.token })
  expect((await seen()).body).toMatchObject({ webhook_status: 'disabled', failed_in_row: 1 })
  receiver.answer(200)
  await happen(operator, platform, 0)
  expect(receiver.received).toHaveLength(1)
  const enabled = await change(operator, platform, { webhook_status: 'enabled' })
  expect(enabled.body).toMatchObject({ webhook_status: 'enabled', failed_in_row: 0, failing_since: null })
  await happen(operator, platform)
  expect(receiver.received).toHaveLength(2)
})
