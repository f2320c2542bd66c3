import { describe, expect, it, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { makeWebhookSecret, signatureHeaders } from '../../src/webhooks/relay/sign.ts'
import { isInstalled, type Judged, judgedBy, LANGUAGES, startReceiverOf } from '../support/docs-receivers.ts'
import { shared } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import vectors from '../vectors/webhooks.json' with { type: 'json' }

const NOW = 1_798_761_600
const TOLERANCE_SECONDS = 300

const h = shared()

/** Webhooks with a `webhook-signature`, by their names, with one secret, and with two as after a rotation. */
async function standardCases(): Promise<Record<'genuine' | 'forged', Record<string, Judged>>> {
  const [valid] = vectors.cases
  if (!valid) throw new Error('there is no vector')
  const { body } = valid
  const [secret, old, other] = [makeWebhookSecret(), makeWebhookSecret(), makeWebhookSecret()]
  const event = { id: JSON.parse(body).id as string, type: 'trust.updated' }
  const at = new Date(NOW * 1000)
  const headers = await signatureHeaders([secret], event, body, at)
  const two = await signatureHeaders([secret, old], event, body, at)
  const beyondAscii = '{"name":"Ümläut 🤖"}'
  const accented = await signatureHeaders([secret], event, beyondAscii, at)
  const good = { secret, headers, body, now: NOW }
  const { of: _, ...vector } = vectors.standard
  const signature = headers['webhook-signature'] ?? ''
  const signed = (text: string) => ({ ...good, headers: { ...headers, 'webhook-signature': text } })
  const without = (header: string) => ({
    ...good,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header)),
  })
  return {
    genuine: {
      'a vector': {
        ...good,
        secret: String(valid.secret),
        headers: { ...vector, 'webhook-timestamp': String(valid.now) },
        now: valid.now,
      },
      'one value': good,
      'two values, the new secret': { ...good, headers: two },
      'two values, the old secret': { ...good, headers: two, secret: old },
      'beyond ASCII': { ...good, headers: accented, body: beyondAscii },
      'five minutes old': { ...good, now: NOW + TOLERANCE_SECONDS },
      'five minutes early': { ...good, now: NOW - TOLERANCE_SECONDS },
    },
    forged: {
      'two values, another secret': { ...good, headers: two, secret: other },
      'another secret': { ...good, secret: other },
      'a changed body': { ...good, body: `${body} ` },
      'a changed id': { ...good, headers: { ...headers, 'webhook-id': 'evt_1' } },
      'a changed time': { ...good, headers: { ...headers, 'webhook-timestamp': `${NOW + 1}` } },
      'no number': { ...good, headers: { ...headers, 'webhook-timestamp': 'now' } },
      'too old': { ...good, now: NOW + TOLERANCE_SECONDS + 1 },
      'too early': { ...good, now: NOW - TOLERANCE_SECONDS - 1 },
      'another version': signed(signature.replace('v1', 'v2')),
      'cut off': signed(signature.slice(0, -4)),
      'the version alone': signed('v1,'),
      'without an id': without('webhook-id'),
      'without a time': without('webhook-timestamp'),
      'without a signature': without('webhook-signature'),
    },
  }
}

describe.each(LANGUAGES)('the $name code of docs/use', (language) => {
  const runs = it.skipIf(!isInstalled(language)) // apt-get install python3 golang-go php-cli

  if (language.judge)
    runs('accepts and rejects webhook-signature: valid, forged, too old, with two secrets', async () => {
      const { genuine, forged } = await standardCases()
      const cases = { ...genuine, ...forged }
      const accepted = await judgedBy(language, Object.values(cases))
      expect(Object.keys(cases).filter((_, n) => accepted[n])).toEqual(Object.keys(genuine))
    })

  runs(
    'accepts real deliveries, also after a rotation, and handles a redelivered event only once',
    async () => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/hook`
      const operator = await h.newOperator()
      const { token } = operator
      const platform = await h.newPlatform(operator, { webhook_url: url })
      const { printed, stop } = await startReceiverOf(language, port, platform.webhook_secret)
      const path = `/platforms/${platform.slug}`
      try {
        await vi.waitFor(() => fetch(url), SOON)
        await h.newAgent(operator, { name: 'Ümläut 🤖', platform_slug: platform.slug })
        const delivered = async (count: number) =>
          vi.waitFor(async () => {
            const { body } = await h.api('GET', `${path}/deliveries`, { token })
            expect(body.data).toMatchObject(Array(count).fill({ status: 'delivered' }))
            return body.data[0]
          }, SOON)
        const { id } = await delivered(1)
        // The package checks X-REG-Signature, which the new secret makes at once.
        if (language.judge) await h.api('POST', `${path}/webhook-secret`, { token })
        await h.api('POST', `${path}/deliveries/${id}/redeliver`, { token })
        await delivered(2)
        await vi.waitFor(() => expect(printed().match(/agent\.registered/g)).toHaveLength(1), SOON)

        const event = { id: 'evt_1', type: 'x' }
        const old = await signatureHeaders([platform.webhook_secret], event, '{}', new Date(0))
        for (const headers of [{}, old])
          expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401)
      } finally {
        await stop()
      }
    },
  )
})
