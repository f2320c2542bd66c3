import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'

const ANSWER_MS = 40_000 // on a busy machine Chromium takes seconds to start

// biome-ignore lint/suspicious/noExplicitAny: the answers of the DevTools protocol differ from method to method
export type Answer = any
export type Ask = (method: string, params?: object, sessionId?: string) => Promise<Answer>

/**
 * Speaks the DevTools protocol with a browser that was started with `--remote-debugging-pipe`: JSON texts, each ended
 * by a NUL, on its descriptors 3 (to it) and 4 (from it).
 *
 * @returns `ask` rejects when the browser ends, refuses, or is silent for long; `events` are emitted by their method
 */
export function speakDevTools(child: ChildProcess): { ask: Ask; events: EventEmitter } {
  const [, , , to, from] = child.stdio as unknown as Duplex[]
  if (!to || !from) throw new Error('the browser was started without its pipes')
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  const events = new EventEmitter()
  let ended: Error | undefined
  let rest = ''
  let last = 0

  from.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0')
    rest = texts.pop() ?? ''
    for (const { id, error, result, method, params } of texts.map((text) => JSON.parse(text))) {
      if (id === undefined) events.emit(method, params)
      else if (error) waiting.get(id)?.reject(new Error(`the browser refuses: ${error.message}`))
      else waiting.get(id)?.resolve(result)
      waiting.delete(id)
    }
  })
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  child.on('error', end).on('exit', (code) => end(new Error(`the browser has ended (${code})`)))
  for (const pipe of [to, from]) pipe.on('error', () => undefined) // the exit says more

  const ask: Ask = (method, params = {}, sessionId) => {
    const answered = Promise.withResolvers<Answer>()
    if (ended) answered.reject(ended)
    else {
      last += 1
      waiting.set(last, answered)
      to.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`)
    }
    const late = setTimeout(() => answered.reject(new Error(`${method}: no answer`)), ANSWER_MS)
    return answered.promise.finally(() => clearTimeout(late))
  }
  return { ask, events }
}
