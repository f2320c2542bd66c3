import { ts } from '@ts-morph/common'
import { exportsOf, keepFor, readStatements } from './statements.ts'

/** What the Worker and drizzle import from Neon's driver. */
const WANTED = ['neon', 'neonConfig']

/**
 * Code that runs at every start of an isolate, with its replacement. Reading `process` makes the runtime load Node's
 * process, streams, and file system; the driver needs only `nextTick`. Without it, it would catch an error here, for
 * whose stack trace V8 parses the whole bundle again. The replaced Buffer is for runtimes that have none.
 */
const AT_START: readonly [RegExp, string][] = [
  [/globalThis\.process\?\?\{\}/g, '{nextTick:run=>queueMicrotask(run)}'],
  [
    /typeof globalThis\.Buffer=="function"&&typeof globalThis\.Buffer\.\s*allocUnsafe=="function"\?globalThis\.Buffer:\w+\(\)\.Buffer/g,
    'globalThis.Buffer',
  ],
]

/**
 * Neon's driver without the code that only its WebSocket client uses.
 *
 * The package is one bundled file, in which a bundler cannot tell which code has no effect. Here, the top-level
 * statements that `WANTED` refers to are kept in order, unchanged except for `AT_START`; the others are dropped.
 *
 * @param source `index.mjs` of `@neondatabase/serverless`
 * @returns a module with the exports `neon`, `neonConfig` and `types`
 * @throws Error when the file is not built as expected
 */
export function httpDriver(source: string): string {
  const file = ts.createSourceFile("Neon's driver", withoutNode(source), ts.ScriptTarget.Latest)
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

function withoutNode(source: string): string {
  return AT_START.reduce((text, [found, replacement]) => {
    if (text.match(found)?.length !== 1) throw new Error(`Neon's driver has no single ${found}`)
    return text.replace(found, replacement)
  }, source)
}
