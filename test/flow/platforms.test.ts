import { afterAll, describe, expect, it } from 'vitest'
import { keepSecrets } from '../../local/secrets.ts'
import { seal } from '../../src/lib/crypto.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { makeWebhookSecret, WEBHOOK_SECRET_PURPOSE } from '../../src/webhooks/relay/sign.ts'
import { identify } from '../support/attested.ts'
import type { Body, Operator } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'
import { acceptedWith, expectSigned } from '../support/signature.ts'
import { type Integration, webhookStack } from './webhooks.ts'

const own = await webhookStack()
const { newIntegration, deliveries, attempts, webhookState } = own
afterAll(own.stop)

const change = ({ token }: Operator, { slug }: Body, body: object) =>
  own.api('PATCH', `/platforms/${slug}`, { token, body })

/** Registers an agent on the platform, and delivers its webhook. */
async function registerAgent(operator: Operator, { slug }: Body, atLeast = 1): Promise<void> {
  await own.newAgent(operator, { platform_slug: slug })
  await own.qstash.runUntilIdle({ atLeast })
}

it('signs with a new secret at once, and also with the previous one', async () => {
  const { operator, platform, receiver } = await newIntegration()
  const rotate = () =>
    own.api('POST', `/platforms/${platform.slug}/webhook-secret`, { token: operator.token })
  const secrets: string[] = [platform.webhook_secret]
  for (let n = 0; n < 2; n++) secrets.push((await rotate()).body.webhook_secret)
  await registerAgent(operator, platform)
  const [webhook] = receiver.received
  if (!webhook) throw new Error('no webhook')
  expectSigned(webhook, secrets[2] ?? '')
  expect(secrets.map((secret) => acceptedWith(webhook, secret, new Date()))).toEqual([false, true, true])
})

it('applies a changed URL and changed event types at once', async () => {
  const [{ operator, platform, receiver: before }, { receiver: after }] = [
    await newIntegration(),
    await newIntegration(),
  ]
  await registerAgent(operator, platform)
  await change(operator, platform, { webhook_url: after.url })
  await registerAgent(operator, platform)
  await change(operator, platform, { event_types: ['trust.updated'] })
  await registerAgent(operator, platform, 0)
  await change(operator, platform, { event_types: null, webhook_url: null })
  await registerAgent(operator, platform, 0)
  expect([before, after].map(({ received }) => received.map(({ event }) => event.type))).toEqual([
    ['agent.registered'],
    ['agent.registered'],
  ])
})

it('delivers again after a disabled webhook is enabled, but not the skipped events', async () => {
  const { operator, platform, receiver } = await newIntegration()
  receiver.respond(410)
  await registerAgent(operator, platform)
  const seen = () => own.api('GET', `/platforms/${platform.slug}`, { token: operator.token })
  expect((await seen()).body).toMatchObject({ webhook_status: 'disabled', consecutive_failures: 1 })
  receiver.respond(200)
  await registerAgent(operator, platform, 0)
  expect(receiver.received).toHaveLength(1)
  const enabled = await change(operator, platform, { webhook_status: 'enabled' })
  expect(enabled.body).toMatchObject({
    webhook_status: 'enabled',
    consecutive_failures: 0,
    failing_since: null,
  })
  await registerAgent(operator, platform)
  expect(receiver.received).toHaveLength(2)
})

describe('the signature with two valid secrets', () => {
  const sealed = (secret: string) => seal(keepSecrets(own.dir).secrets_key, WEBHOOK_SECRET_PURPOSE, secret)
  const setSecrets = ({ platform }: Integration, newest: string, previous: string, until: Date) =>
    own.sql(
      `update platforms set webhook_secret = $2, previous_webhook_secret = $3, previous_webhook_secret_until = $4
       where slug = $1`,
      [platform.slug, newest, previous, until.toISOString()],
    )
  const signatures = ({ headers }: { headers: object }) =>
    String((headers as Record<string, string>)['webhook-signature']).split(' ')

  it('is made with both, newest first, until the older one expires', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    const [older, newest] = [platform.webhook_secret, makeWebhookSecret()]
    const began = Date.parse((await own.qstash.clock()).now)
    receiver.respond(async (n) => {
      const until = new Date(began + 2 * 3_600_000) // between the fourth attempt and the fifth
      if (n === 1) await setSecrets(integration, await sealed(newest), await sealed(older), until)
      return 500
    })
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 5 })
    const made = await attempts(integration)
    const accepted = receiver.received.map((webhook, n) =>
      [newest, older].map((secret) => acceptedWith(webhook, secret, made[n].started_at)),
    )
    const both = [true, true]
    expect(accepted).toEqual([[false, true], both, both, both, [true, false]])
    expect(receiver.received.map((webhook) => signatures(webhook).length)).toEqual([1, 2, 2, 2, 1])
    for (const [n, webhook] of receiver.received.entries()) {
      expectSigned(webhook, n === 0 ? older : newest, made[n].started_at)
      const first = {
        ...webhook,
        headers: { ...webhook.headers, 'webhook-signature': signatures(webhook)[0] },
      }
      expect(acceptedWith(first, n === 0 ? older : newest, made[n].started_at)).toBe(true)
    }
  })

  it('is made with the secret that can be decrypted when the other cannot', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    const until = new Date(Date.parse((await own.qstash.clock()).now) + DAY_MS)
    const good = await sealed(platform.webhook_secret)
    for (const [newest, previous] of [
      [good, 'broken'],
      ['broken', good],
    ] as const) {
      await setSecrets(integration, newest, previous, until)
      await own.newAgent(operator, { platform_slug: platform.slug })
      await own.qstash.runUntilIdle({ atLeast: 1 })
      const webhook = receiver.received.at(-1)
      if (!webhook) throw new Error('no webhook')
      expectSigned(webhook, platform.webhook_secret, (await attempts(integration)).at(-1)?.started_at)
      expect(signatures(webhook)).toHaveLength(1)
    }
    expect(receiver.received).toHaveLength(2)
  })

  it('is required: nothing is sent without it, and the platform is not counted as failing', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    await setSecrets(integration, 'broken', 'broken', new Date(Date.now() + DAY_MS))
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 5 })
    expect(receiver.received).toEqual([])
    expect(await deliveries(integration)).toMatchObject([{ status: 'failed', attempts: 5 }])
    expect((await attempts(integration))[4]).toMatchObject({ error: 'webhook secret cannot be decrypted' })
    expect(await webhookState(integration)).toMatchObject({ consecutive_failures: 0 })
  })
})

it('evaluates a platform in the next minute if its row was locked', async () => {
  const keeper = await own.newOperator({ tier: 'pro' })
  await identify(own, keeper)
  const { slug } = await own.newPlatform(keeper)
  const judgedDay = async () =>
    (await own.sql('select judged_day from platforms where slug = $1', [slug]))[0].judged_day
  const held = await holdOpen(own, 'update platforms set name = name where slug = $1', [slug])
  const run = own.cron().catch((error) => error)
  await held.isWaitedFor()
  expect(await run).toBeInstanceOf(Error)
  await held.commit()
  expect(await judgedDay()).toBeNull()
  await own.cron()
  expect(await judgedDay()).not.toBeNull()
})

it('moves the other agents whose notice is over if one of them cannot be moved', async () => {
  const operator = await own.newOperator({ tier: 'pro' })
  const { slug } = await own.newPlatform(operator)
  const regs: string[] = []
  for (let n = 0; n < 8; n++) regs.push((await own.newAgent(operator, { platform_slug: slug })).reg)
  const [first] = regs
  await own.sql("update agents set platform_leaves_at = now() - interval '1 min' where reg = any ($1)", [
    regs,
  ])
  await own.sql("update agents set platform_leaves_at = now() - interval '1 day' where reg = $1", [first])
  await own.sql(
    `alter table agents add constraint stuck check (reg <> '${first}' or platform_id is not null) not valid`,
  )
  const placed = async () =>
    (await own.sql('select reg from agents where reg = any ($1) and platform_id is not null', [regs])).map(
      ({ reg }) => reg,
    )
  await expect(own.cron()).rejects.toThrow()
  expect(await placed()).toEqual([first])
  await own.sql('alter table agents drop constraint stuck')
  await own.cron()
  expect(await placed()).toEqual([])
})
