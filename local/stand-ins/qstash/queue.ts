import type { Clock } from './clock.ts'
import type { DestinationResponse } from './deliver.ts'
import { isDelivered } from './deliver.ts'
import { backoffMs, retryHintMs } from './duration.ts'
import { type Draft, type Message, newMessageId, readDraft } from './message.ts'
import type { Change, Store } from './store.ts'

/** The response to a publish request. */
export interface Accepted {
  messageId: string
  url: string
  deduplicated?: true
}

interface Seen {
  messageId: string
  at: number
}

/** The longer of the two windows in the documentation, so that tests detect a reused id. */
const DEDUPLICATION_MS = 90 * 86_400_000

export type Queue = ReturnType<typeof createQueue>

/**
 * The messages and their state.
 *
 * A request gets its response only after the change is in the file. A message is removed from it when it is delivered or
 * given up.
 *
 * @param onChange called when a message may have become due
 */
export function createQueue(store: Store, clock: Clock, onChange: () => void) {
  const pending = new Map<string, Message>(stored<Message>(store, 'message'))
  const seen = new Map<string, Seen>(stored<Seen>(store, 'seen'))

  const put = (message: Message): Change => [
    `message:${message.id}`,
    { ...message, due: clock.toReal(message.due) },
  ]

  function admit({ message, notBefore }: Draft): Message {
    const createdAt = clock.now()
    const wait = Math.max(0, 1000 * (notBefore ?? 0) - createdAt)
    return { ...message, id: newMessageId(), retried: 0, createdAt, due: createdAt + clock.scaled(wait) }
  }

  function open(messages: Message[]): void {
    for (const message of messages) pending.set(message.id, message)
    onChange()
  }

  return {
    pending,

    /**
     * Accepts all messages or none; for a known deduplication id, returns the earlier message.
     *
     * @param loses called for each new message; if true, the message is accepted but not stored
     */
    publish(drafts: Draft[], loses: () => boolean): Accepted[] {
      const fresh: Message[] = []
      const changes: Change[] = []
      const responses = drafts.map((draft): Accepted => {
        const { url } = draft.message
        const id = draft.deduplicationId
        const known = id === null ? undefined : seen.get(id)
        if (known && Date.now() - known.at < DEDUPLICATION_MS) {
          return { messageId: known.messageId, url, deduplicated: true }
        }
        const message = admit(draft)
        if (id !== null) {
          const entry = { messageId: message.id, at: Date.now() }
          seen.set(id, entry)
          changes.push([`seen:${id}`, entry])
        }
        if (!loses()) {
          fresh.push(message)
          changes.push(put(message))
        }
        return { messageId: message.id, url }
      })
      store.commit(changes)
      open(fresh)
      return responses
    },

    /** Removes pending messages; a response to an attempt in progress is ignored. */
    cancel(ids: Iterable<string>): number {
      const found = [...ids].flatMap((id) => pending.get(id) ?? [])
      for (const { id } of found) pending.delete(id)
      store.commit(found.map(({ id }) => [`message:${id}`]))
      return found.length
    },

    /** Records the outcome of an attempt: delivered, to be retried, or given up, of which the failure callback is told. */
    settle(message: Message, response: DestinationResponse): void {
      if (!pending.has(message.id)) return
      if (isDelivered(response)) {
        pending.delete(message.id)
        return void store.commit([[`message:${message.id}`]])
      }
      if (message.retried < message.maxRetries) {
        message.retried += 1
        const hint = retryHintMs(response.headers)
        const wait = hint ?? backoffMs(message.retried)
        message.due = clock.now() + clock.scaled(wait)
        return void store.commit([put(message)])
      }
      const callbacks = message.failureCallback === null ? [] : [admit(failureDraft(message, response))]
      pending.delete(message.id)
      store.commit([[`message:${message.id}`], ...callbacks.map(put)])
      open(callbacks)
    },

    /** Moves every due time, so that each message keeps its remaining wait when the clock is set. */
    shift(ms: number): void {
      for (const message of pending.values()) message.due += ms
    },
  }
}

/**
 * The message that tells the failure callback.
 *
 * Source: QStash documentation, "Callbacks".
 */
function failureDraft(message: Message, { status, headers, body }: DestinationResponse): Draft {
  const { id, url, bodyBase64, retried, maxRetries, failureCallback } = message
  const told = {
    ...{ status, header: headers, body: body.toString('base64'), retried, maxRetries },
    ...{ sourceMessageId: id, url, method: 'POST', sourceBody: bodyBase64 },
  }
  const type = new Headers({ 'content-type': 'application/json' })
  return readDraft(failureCallback ?? '', type, Buffer.from(JSON.stringify(told)))
}

/** The entries of one kind; this file wrote them, which guarantees their type. */
function* stored<T>(store: Store, kind: string): Generator<[string, T]> {
  for (const [key, value] of store.entries) {
    if (key.startsWith(`${kind}:`)) yield [key.slice(kind.length + 1), value as T]
  }
}
