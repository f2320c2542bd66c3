import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { buildDocument } from './document/build.ts'

/** The file of the generated types. */
export const CLIENT_FILE = new URL('../packages/client/api.ts', import.meta.url)

const HEAD = '// Generated from the OpenAPI document by `npm run client:generate`; do not edit.\n\n'
const LEFT_OUT = ['example', 'examples', 'headers'] // as comments, they would triple the size of the file

// The generator needs the JavaScript API of TypeScript 5, which TypeScript 7 no longer has. This package contains it
// without a `tsc` that would replace the one of this project.
const TYPESCRIPT_5 = '@ts-morph/common/dist/typescript.js'

/** Generates the TypeScript types of all routes from the OpenAPI document of this checkout. */
export async function generateClient(): Promise<string> {
  const hooks = registerHooks({
    resolve: (name, context, next) => next(name === 'typescript' ? TYPESCRIPT_5 : name, context),
  })
  try {
    const { default: openapiTS, astToString } = await import('openapi-typescript')
    const document = JSON.stringify(buildDocument('https://registry.example'), (name, value) =>
      LEFT_OUT.includes(name) ? undefined : value,
    )
    return HEAD + astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }))
  } finally {
    hooks.deregister()
  }
}

if (import.meta.main) writeFileSync(CLIENT_FILE, await generateClient())
