import { ts } from '@ts-morph/common'
import { exportsOf, keepFor, readStatements } from './statements.ts'

/** What the Worker and drizzle import of Neon's driver. */
const WANTED = ['neon', 'neonConfig']

/**
 * Neon's driver without what only its WebSocket client runs.
 *
 * The package is one file that was bundled before: a bundler cannot tell what of it has no effect. Here each statement
 * of its top level stays that what is wanted refers to, as it stands and in its order; the others are left out.
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
  // The package gets `types` from the client that it wraps; here it comes from the module that the client has it from.
  const parsers = statements.filter(({ text }) => /\.builtins=/.test(text))
  const [types] = parsers[0]?.declares ?? []
  if (parsers.length !== 1 || !types) throw new Error("Neon's driver has its type parsers elsewhere")
  const kept = keepFor([...locals.map(({ local }) => local), types], statements)
  const names = locals.map(({ name, local }) => `${local} as ${name}`).join(', ')
  const texts = kept.map(({ text }) => text)
  return `${texts.join('\n')}\nexport { ${names} }\nexport const types = ${types}()\n`
}
