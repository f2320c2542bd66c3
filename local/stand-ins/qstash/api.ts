import { Hono } from 'hono'
import { z } from 'zod'
import type { Faults } from './faults.ts'
import { InvalidPublish, readDraft } from './message.ts'
import type { Queue } from './queue.ts'
import { SIGNING_KEYS, TOKEN } from './sign.ts'
import { toDeadLetterWire, toWire } from './wire.ts'

const PUBLISH = '/v2/publish/'
const PAGE = 100
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
    const [accepted] = await queue.publish([readDraft(destination, c.req.raw.headers, body)], takeLoss)
    return c.json(accepted, accepted?.deduplicated ? 202 : 201)
  })

  app.post('/v2/batch', async (c) => {
    if (faults.take('rejectPublish')) return c.json({ error: 'rejected by a test' }, 503)
    const items = Batch.parse(await c.req.json())
    const drafts = items.map((item) =>
      readDraft(item.destination, new Headers(item.headers), Buffer.from(item.body)),
    )
    return c.json(await queue.publish(drafts, takeLoss), 200)
  })

  app.get('/v2/messages/:id', (c) => {
    const message = queue.pending.get(c.req.param('id'))
    return message ? c.json(toWire(message)) : c.json({ error: 'message not found' }, 404)
  })
  app.delete('/v2/messages/:id', async (c) => {
    const cancelled = await queue.cancel([c.req.param('id')])
    return cancelled > 0 ? c.json({ cancelled }) : c.json({ error: 'message not found' }, 404)
  })
  app.delete('/v2/messages', async (c) => {
    const ids = c.req.queries('messageIds')
    const label = c.req.query('label')
    const found = [...queue.pending.values()].filter(
      (message) => (ids?.includes(message.id) ?? true) && (label === undefined || message.label === label),
    )
    return c.json({ cancelled: await queue.cancel(found.map(({ id }) => id)) })
  })

  const deadLetters = (query: Record<string, string>, ids: string[] | undefined) => {
    const matching = [...queue.dead.values()].filter(
      ({ dlqId, message }) =>
        (ids?.includes(dlqId) ?? true) &&
        suits(message.id, query.messageId) &&
        suits(message.url, query.url) &&
        suits(message.label, query.label),
    )
    return page(matching, query)
  }
  app.get('/v2/dlq', (c) => {
    const { items, cursor } = deadLetters(c.req.query(), c.req.queries('dlqIds'))
    return c.json({ messages: items.map(toDeadLetterWire), cursor })
  })
  app.get('/v2/dlq/:id', (c) => {
    const letter = queue.dead.get(c.req.param('id'))
    return letter ? c.json(toDeadLetterWire(letter)) : c.json({ error: 'dlq message not found' }, 404)
  })
  app.delete('/v2/dlq/:id', async (c) => {
    const letter = queue.dead.get(c.req.param('id'))
    if (!letter) return c.json({ error: 'dlq message not found' }, 404)
    return c.json({ deleted: await queue.bury([letter]) })
  })
  app.delete('/v2/dlq', async (c) => {
    const { items } = deadLetters({ ...c.req.query(), cursor: '0' }, c.req.queries('dlqIds'))
    return c.json({ deleted: await queue.bury(items) })
  })
  app.post('/v2/dlq/retry', async (c) => {
    const { items } = deadLetters({ ...c.req.query(), cursor: '0' }, c.req.queries('dlqIds'))
    return c.json({ responses: await queue.revive(items) })
  })

  app.get('/v2/keys', (c) => c.json(SIGNING_KEYS))

  app.get('/v2/events', (c) => {
    const query = c.req.query()
    const ids = c.req.queries('messageIds')
    const matching = queue.events.filter(
      (event) =>
        (ids?.includes(event.messageId) ?? true) &&
        suits(event.messageId, query.messageId) &&
        suits(event.state, query.state) &&
        suits(event.url, query.url) &&
        suits(event.label, query.label),
    )
    const { items, cursor } = page(matching.reverse(), query)
    return c.json({ events: items, cursor })
  })

  return app
}

function suits(value: string | null | undefined, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted
}

function page<T>(all: T[], { cursor = '0', count }: Record<string, string>) {
  const from = Number(cursor)
  const to = from + Number(count ?? PAGE)
  return { items: all.slice(from, to), ...(to < all.length ? { cursor: String(to) } : {}) }
}
