import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@upstash/qstash'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SOON } from '../support/patience.ts'
import { arrived, destination, folder, start } from './qstash.ts'

describe('persistence', () => {
  it('keeps pending messages and dead letters over a restart, and repeats a delivery in flight', async () => {
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
