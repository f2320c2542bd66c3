import { Hono } from 'hono'
import { z } from 'zod'
import type { Faults } from './faults.ts'
import { InvalidPublish, readDraft } from './message.ts'
import type { Queue } from './queue.ts'
import { SIGNING_KEYS, TOKEN } from './sign.ts'

const PUBLISH = '/v2/publish/'
const Batch = z.array(
  z.object({
    destination: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(''),
  }),
)

/**
 * The part of the QStash HTTP API that the stand-in supports, under `/v2`.
 *
 * Source: QStash documentation, "API Reference".
 */
export function createApi(queue: Queue, faults: Faults): Hono {
  const app = new Hono()
  const takeLoss = () => faults.take('loseMessage')

  app.use('/v2/*', async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${TOKEN}`) return c.json({ error: 'unauthorized' }, 401)
    return next()
  })
  app.onError((error, c) => {
    const status = error instanceof InvalidPublish || error instanceof z.ZodError ? 400 : 500
    return c.json({ error: error.message }, status)
  })
  app.notFound((c) => c.json({ error: 'not found, or not part of the local stand-in' }, 404))

  app.post(`${PUBLISH}*`, async (c) => {
    if (faults.take('rejectPublish')) return c.json({ error: 'rejected by a test' }, 503)
    // The rest of the raw URL is the destination, including slashes and query.
    const destination = c.req.url.slice(c.req.url.indexOf(PUBLISH) + PUBLISH.length)
    const body = Buffer.from(await c.req.arrayBuffer())
    const [accepted] = queue.publish([readDraft(destination, c.req.raw.headers, body)], takeLoss)
    return c.json(accepted, accepted?.deduplicated ? 202 : 201)
  })

  app.post('/v2/batch', async (c) => {
    if (faults.take('rejectPublish')) return c.json({ error: 'rejected by a test' }, 503)
    const items = Batch.parse(await c.req.json())
    const drafts = items.map((item) =>
      readDraft(item.destination, new Headers(item.headers), Buffer.from(item.body)),
    )
    return c.json(queue.publish(drafts, takeLoss), 200)
  })

  app.delete('/v2/messages/:id?', (c) => {
    const id = c.req.param('id')
    return c.json({ cancelled: queue.cancel(id === undefined ? queue.pending.keys() : [id]) })
  })

  app.get('/v2/keys', (c) => c.json(SIGNING_KEYS)) // which the doctor compares with the settings

  return app
}
