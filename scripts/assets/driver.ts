import { ts } from '@ts-morph/common'
import { exportsOf, keepFor, readStatements } from './statements.ts'

/** What the Worker and drizzle import from Neon's driver. */
const WANTED = ['neon', 'neonConfig']

/**
 * Neon's driver without the code that only its WebSocket client uses.
 *
 * The package is one bundled file, in which a bundler cannot tell which code has no effect. Here, the top-level
 * statements that `WANTED` refers to are kept, unchanged and in order; the others are dropped.
 *
 * @param source `index.mjs` of `@neondatabase/serverless`
 * @returns a module with the exports `neon`, `neonConfig` and `types`
 * @throws Error when the file is not built as expected
 */
export function httpDriver(source: string): string {
  const file = ts.createSourceFile("Neon's driver", source, ts.ScriptTarget.Latest)
  const statements = readStatements(file)
  const exported = exportsOf(file)
  const locals = WANTED.map((name) => {
    const local = exported.get(name)
    if (!local) throw new Error(`Neon's driver has no export ${name}`)
    return { name, local }
  })
  // The package takes `types` from the client that it wraps; here it comes from the module that the client imports.
  const parsers = statements.filter(({ text }) => /\.builtins=/.test(text))
  const [types] = parsers[0]?.declares ?? []
  if (parsers.length !== 1 || !types) throw new Error("Neon's driver has its type parsers elsewhere")
  const kept = keepFor([...locals.map(({ local }) => local), types], statements)
  const names = locals.map(({ name, local }) => `${local} as ${name}`).join(', ')
  const texts = kept.map(({ text }) => text)
  return `${texts.join('\n')}\nexport { ${names} }\nexport const types = ${types}()\n`
}
