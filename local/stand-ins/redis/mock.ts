import { randomUUID } from 'node:crypto'
import type { Backend, Command, Engine, Outcome } from './rest.ts'

/** Starts the embedded Redis, which supports Lua and keeps its data in memory only. */
export async function startMock(): Promise<Backend> {
  const { default: RedisMock } = await import('ioredis-mock')
  // Instances with the same host share their data.
  const mock = new RedisMock({ host: randomUUID() })
  let last: Promise<unknown> = Promise.resolve()
  const inTurn: Engine = (commands) => {
    const outcomes = last.then(async () => {
      const list: Outcome[] = []
      for (const command of commands) list.push(await callMock(mock, command))
      return list
    })
    last = outcomes
    return outcomes
  }
  return { engine: 'mock', run: inTurn, lost: new Promise(() => {}), stop: async () => mock.disconnect() }
}

async function callMock(mock: object, [name = '', ...args]: Command): Promise<Outcome> {
  const method: unknown = Reflect.get(mock, `${name.toLowerCase()}Buffer`)
  if (typeof method !== 'function') return { error: `ERR unknown command '${name}'` }
  // The mock supports the options of SET only in uppercase.
  const sent = /^set$/i.test(name) ? args.map((arg, i) => (i < 2 ? arg : arg.toUpperCase())) : args
  try {
    return { reply: fromMock(await method.apply(mock, sent)) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { error: /^[A-Z]+ /.test(message) ? message : `ERR ${message}` }
  }
}

/** Converts Lua's booleans and fractions as Redis does. */
function fromMock(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(fromMock)
  if (typeof reply === 'boolean') return reply ? 1 : null
  if (typeof reply === 'number') return Math.trunc(reply)
  return reply
}
