import { describe, expect, it, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { makeWebhookSecret, signatureHeaders } from '../../src/webhooks/relay/sign.ts'
import {
  isInstalled,
  type Judged,
  judgedBy,
  LANGUAGES,
  receiverPrograms,
  startReceiverOf,
} from '../support/docs-receivers.ts'
import { shared } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import vectors from '../vectors/webhooks.json' with { type: 'json' }

const NOW = 1_798_761_600
const TOLERANCE_SECONDS = 300
const LINES_MAX = 20
const FRAME = /^\s*(|[)}]|import .*|from .*|package .*|import \(|"[\w/]+"|<\?php)$/

const h = shared()

interface Case extends Judged {
  name: string
  genuine: boolean
}

/** Cases for webhook-signature, with one secret, and with two as after a rotation. */
async function standardCases(): Promise<Case[]> {
  const [valid] = vectors.cases
  if (!valid) throw new Error('there is no vector')
  const { body } = valid
  const [fresh, old, other] = [makeWebhookSecret(), makeWebhookSecret(), makeWebhookSecret()]
  const event = { id: JSON.parse(body).id as string, type: 'trust.updated' }
  const one = await signatureHeaders([fresh], event, body, new Date(NOW * 1000))
  const two = await signatureHeaders([fresh, old], event, body, new Date(NOW * 1000))
  const good = { secret: fresh, headers: one, body, now: NOW }
  const name = 'webhook-signature'
  const standard = {
    'webhook-id': vectors.standard['webhook-id'],
    'webhook-timestamp': String(valid.now),
    [name]: vectors.standard[name],
  }
  const without = (header: string) =>
    Object.fromEntries(Object.entries(one).filter(([key]) => key !== header))
  const accented = await signatureHeaders([fresh], event, '{"name":"Ümläut 🤖"}', new Date(NOW * 1000))
  return [
    {
      name: 'vector',
      secret: valid.secret as string,
      headers: standard,
      body,
      now: valid.now,
      genuine: true,
    },
    { ...good, name: 'one value', genuine: true },
    { ...good, name: 'two values, the new secret', headers: two, genuine: true },
    { ...good, name: 'two values, the old secret', headers: two, secret: old, genuine: true },
    { ...good, name: 'two values, another secret', headers: two, secret: other, genuine: false },
    { ...good, name: 'another secret', secret: other, genuine: false },
    { ...good, name: 'beyond ASCII', headers: accented, body: '{"name":"Ümläut 🤖"}', genuine: true },
    { ...good, name: 'changed body', body: `${body} `, genuine: false },
    { ...good, name: 'changed id', headers: { ...one, 'webhook-id': 'evt_1' }, genuine: false },
    { ...good, name: 'changed time', headers: { ...one, 'webhook-timestamp': `${NOW + 1}` }, genuine: false },
    { ...good, name: 'no number', headers: { ...one, 'webhook-timestamp': 'now' }, genuine: false },
    { ...good, name: 'five minutes old', now: NOW + TOLERANCE_SECONDS, genuine: true },
    { ...good, name: 'too old', now: NOW + TOLERANCE_SECONDS + 1, genuine: false },
    { ...good, name: 'five minutes early', now: NOW - TOLERANCE_SECONDS, genuine: true },
    { ...good, name: 'too early', now: NOW - TOLERANCE_SECONDS - 1, genuine: false },
    {
      ...good,
      name: 'another version',
      headers: { ...one, [name]: one[name]?.replace('v1', 'v2') ?? '' },
      genuine: false,
    },
    { ...good, name: 'cut off', headers: { ...one, [name]: one[name]?.slice(0, -4) ?? '' }, genuine: false },
    { ...good, name: 'the version alone', headers: { ...one, [name]: 'v1,' }, genuine: false },
    ...Object.keys(standard).map((header) => ({
      ...good,
      name: `without ${header}`,
      headers: without(header),
      genuine: false,
    })),
  ]
}

/** The verdict of a function on each case, and the expected one. */
async function verdicts(cases: Case[], judge: (cases: Case[]) => Promise<boolean[]>) {
  const accepted = await judge(cases)
  const actual = cases.map(({ name }, index) => [name, accepted[index]])
  return { actual, expected: cases.map(({ name, genuine }) => [name, genuine]) }
}

describe.each(LANGUAGES)('the $name code of docs/use/receivers.md', (language) => {
  const missing = `needs ${language.name}: apt-get install python3 golang-go php-cli`
  const [verify = '', receiver = ''] = receiverPrograms(language)

  it('has a function and a receiver of at most twenty lines each, not counting imports', () => {
    expect(receiverPrograms(language)).toHaveLength(2)
    for (const program of [verify, receiver]) {
      const lines = program.split('\n').filter((line) => !FRAME.test(line))
      expect(lines.length).toBeLessThanOrEqual(LINES_MAX)
    }
  })

  it('accepts and rejects webhook-signature: valid, forged, too old, with two secrets', async ({ skip }) => {
    if (!isInstalled(language)) skip(missing)
    const { actual, expected } = await verdicts(await standardCases(), (cases) =>
      judgedBy(language, verify, cases),
    )
    expect(actual).toEqual(expected)
  })

  it('accepts real deliveries, also after a rotation, and handles a redelivered event only once', async ({
    skip,
  }) => {
    if (!isInstalled(language)) skip(missing)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/hook`
    const operator = await h.newOperator()
    const platform = await h.newPlatform(operator, { webhook_url: url })
    const { printed, stop } = await startReceiverOf(language, port, platform.webhook_secret)
    const path = `/platforms/${platform.slug}`
    try {
      await vi.waitFor(() => fetch(url), SOON)
      await h.newAgent(operator, { name: 'Ümläut 🤖', platform_slug: platform.slug })
      const delivered = async (count: number) =>
        vi.waitFor(async () => {
          const { body } = await h.api('GET', `${path}/deliveries`, { token: operator.token })
          expect(body.data.map(({ status }: { status: string }) => status)).toEqual(
            Array.from({ length: count }, () => 'delivered'),
          )
          return body.data[0]
        }, SOON)
      const { id } = await delivered(1)
      await h.api('POST', `${path}/webhook-secret`, { token: operator.token })
      await h.api('POST', `${path}/deliveries/${id}/redeliver`, { token: operator.token })
      await delivered(2)
      await vi.waitFor(() => expect(printed().match(/agent\.registered/g)).toHaveLength(1), SOON)

      const unsigned = await fetch(url, { method: 'POST', body: '{"id":"evt_1","type":"x","data":{}}' })
      expect(unsigned.status).toBe(401)
      const old = await signatureHeaders(
        [platform.webhook_secret],
        { id: 'evt_1', type: 'x' },
        '{}',
        new Date(0),
      )
      expect((await fetch(url, { method: 'POST', headers: old, body: '{}' })).status).toBe(401)
    } finally {
      await stop()
    }
  })
})
