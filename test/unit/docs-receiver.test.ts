import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { makeWebhookSecret, signatureHeaders } from '../../src/lib/webhook-signature.ts'
import { folderWith, programsOf } from '../support/programs.ts'

const SOURCE = new URL('../../packages/webhooks/index.ts', import.meta.url).href

it('the TypeScript receiver in docs/use/receivers.md accepts only requests with a valid signature and time', async () => {
  const [program = '', ...others] = programsOf('use/receivers.md', 'TypeScript', 'ts')
  expect(others).toEqual([])
  await using folder = await folderWith({ 'receiver.ts': program.replace('@agentreg/webhooks', SOURCE) })
  const { default: receiver } = await import(pathToFileURL(`${folder.dir}/receiver.ts`).href)
  const secret = makeWebhookSecret()
  const event = { id: 'evt_1', type: 'agent.registered' }
  const body = JSON.stringify({ ...event, created_at: '2026-11-21T10:00:00.000Z', data: {} })
  const send = async (headers: Record<string, string>) => {
    const request = new Request('https://receiver.example', { method: 'POST', headers, body })
    const { status } = await receiver.fetch(request, { WEBHOOK_SECRET: secret })
    return status
  }
  expect(await send(await signatureHeaders([secret], event, body, new Date()))).toBe(204)
  expect(await send(await signatureHeaders([makeWebhookSecret()], event, body, new Date()))).toBe(401)
  expect(await send(await signatureHeaders([secret], event, body, new Date(0)))).toBe(401)
})
