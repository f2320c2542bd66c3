import { describe, expect, it, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { makeWebhookSecret, signatureHeaders } from '../../src/lib/webhook-signature.ts'
import { isInstalled, LANGUAGES, startReceiverOf } from '../support/docs-receivers.ts'
import { shared } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'

const TOLERANCE_SECONDS = 300
const MARGIN_SECONDS = 30

const h = shared()

interface Sent {
  headers: Record<string, string>
  body: string
}

/** Webhooks with a `webhook-signature`, by their names, with one secret, and with two as after a rotation. */
async function standardCases(secret: string): Promise<Record<'genuine' | 'forged', Record<string, Sent>>> {
  const body = '{"id":"evt_1","type":"x","data":{}}'
  const accented = '{"id":"evt_2","type":"Ümläut 🤖","data":{}}'
  const [another, third] = [makeWebhookSecret(), makeWebhookSecret()]
  const sign = (secrets: Parameters<typeof signatureHeaders>[0], seconds = 0, text = body) =>
    signatureHeaders(secrets, { id: 'evt_1', type: 'x' }, text, new Date(Date.now() + 1000 * seconds))
  const headers = await sign([secret])
  const signature = headers['webhook-signature'] ?? ''
  const having = (changed: Record<string, string>) => ({ headers: { ...headers, ...changed }, body })
  const without = (header: string) => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header)),
    body,
  })
  const [within, beyond] = [TOLERANCE_SECONDS - MARGIN_SECONDS, TOLERANCE_SECONDS + MARGIN_SECONDS]
  return {
    genuine: {
      'one value': { headers, body },
      'two values, the first secret': { headers: await sign([secret, another]), body },
      'two values, the second secret': { headers: await sign([another, secret]), body },
      'beyond ASCII': { headers: await sign([secret], 0, accented), body: accented },
      'almost five minutes old': { headers: await sign([secret], -within), body },
      'almost five minutes early': { headers: await sign([secret], within), body },
    },
    forged: {
      'two other secrets': { headers: await sign([another, third]), body },
      'another secret': { headers: await sign([another]), body },
      'a changed body': { headers, body: `${body} ` },
      'a changed id': having({ 'webhook-id': 'evt_2' }),
      'a changed time': having({ 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` }),
      'no number': having({ 'webhook-timestamp': 'now' }),
      'too old': { headers: await sign([secret], -beyond), body },
      'too early': { headers: await sign([secret], beyond), body },
      'another version': having({ 'webhook-signature': signature.replace('v1', 'v2') }),
      'cut off': having({ 'webhook-signature': signature.slice(0, -4) }),
      'the version alone': having({ 'webhook-signature': 'v1,' }),
      'without an id': without('webhook-id'),
      'without a time': without('webhook-timestamp'),
      'without a signature': without('webhook-signature'),
    },
  }
}

describe.each(LANGUAGES)('the $name code of docs/use', (language) => {
  // apt-get install python3 golang-go php-cli
  it.skipIf(!isInstalled(language))(
    'accepts real deliveries, also after a rotation, handles a redelivered event only once, and rejects forged ones',
    async () => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/hook`
      const operator = await h.newOperator()
      const { token } = operator
      const platform = await h.newPlatform(operator, { webhook_url: url })
      await using receiver = await startReceiverOf(language, port, platform.webhook_secret)
      const path = `/platforms/${platform.slug}`
      const post = async ({ headers, body }: Sent) => (await fetch(url, { method: 'POST', headers, body })).ok
      await vi.waitFor(() => fetch(url), SOON)
      await h.newAgent(operator, { name: 'Ümläut 🤖', platform_slug: platform.slug })
      const delivered = async (count: number) =>
        vi.waitFor(async () => {
          const { body } = await h.api('GET', `${path}/deliveries`, { token })
          expect(body.data).toMatchObject(Array(count).fill({ status: 'delivered' }))
          return body.data[0]
        }, SOON)
      const { id } = await delivered(1)
      // X-REG-Signature is made with the new secret at once.
      if (language.isStandard) await h.api('POST', `${path}/webhook-secret`, { token })
      await h.api('POST', `${path}/deliveries/${id}/redeliver`, { token })
      await delivered(2)
      await vi.waitFor(() => expect(receiver.printed().match(/agent\.registered/g)).toHaveLength(1), SOON)

      const { genuine, forged } = await standardCases(platform.webhook_secret)
      if (!language.isStandard) {
        const old = await signatureHeaders(
          [platform.webhook_secret],
          { id: 'evt_1', type: 'x' },
          '{}',
          new Date(0),
        )
        for (const headers of [{}, old]) expect(await post({ headers, body: '{}' })).toBe(false)
        return
      }
      for (const [name, sent] of Object.entries({ ...genuine, ...forged }))
        expect([name, await post(sent)]).toEqual([name, name in genuine])
    },
  )
})
