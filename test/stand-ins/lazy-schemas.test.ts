import { expect, it, vi } from 'vitest'

/** The files that have built a schema. */
const builders = vi.hoisted(() => new Set<string>())

vi.mock('zod', async (importOriginal) => {
  const zod = await importOriginal<Record<string, unknown>>()
  const watched = (build: unknown) =>
    typeof build !== 'function'
      ? build
      : (...given: unknown[]) => {
          const [, file = 'unknown'] = /\/(src\/[^:?]+)/.exec(new Error().stack ?? '') ?? []
          builders.add(file)
          return build(...given)
        }
  const isBuilder = (name: string) => /^[a-z]/.test(name)
  return Object.fromEntries(
    Object.entries(zod).map(([name, one]) => [name, isBuilder(name) ? watched(one) : one]),
  )
})

it('a start of the Worker builds no schema except that of its settings', async () => {
  await import('../../src/app.ts')
  expect([...builders]).toEqual(['src/env.ts'])
})
