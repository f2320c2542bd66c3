import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Message } from '../../local/stand-ins/identity/mailbox.ts'
import { type MailProvider, startMail } from '../../local/stand-ins/mail/index.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { testFolder } from '../support/test-folder.ts'

const MAIL = {
  ...{ from: 'Registry <r@example.com>', to: ['a@example.com'], subject: 'Hello' },
  ...{ text: 'World', html: '<p>World</p>', headers: {} },
}

const dir = testFolder()
let provider: MailProvider
let delivered: Message[]
let now = Date.now()

const start = async () => {
  provider = await startMail({
    dir,
    deliver: (message) => delivered.push(message),
    now: () => now,
  })
}

beforeEach(async () => {
  delivered = []
  await start()
})
afterEach(async () => {
  await provider.stop()
})

async function send(body: unknown, headers: Record<string, string>) {
  const response = await fetch(`${provider.url}/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${provider.apiKey}`, ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('sends repeated requests with one idempotency key once within 24 hours, also after a restart', async () => {
  const key = { 'Idempotency-Key': 'one' }
  const first = await send(MAIL, key)
  expect(await send(MAIL, key)).toEqual(first)
  await provider.stop()
  await start()
  now += DAY_MS - 1
  expect(await send(MAIL, key)).toEqual(first)
  expect(await send({ ...MAIL, subject: 'Other' }, key)).toMatchObject({
    status: 409,
    body: { statusCode: 409, name: 'invalid_idempotent_request' },
  })
  expect(delivered).toHaveLength(1)
  now += 1
  expect((await send(MAIL, key)).status).toBe(200)
  expect(delivered).toHaveLength(2)
})
