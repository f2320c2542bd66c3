import { registerHooks } from 'node:module'
import { buildDocument } from '../document/build.ts'

/** Where the generated types are kept. */
export const CLIENT_FILE = new URL('../../packages/client/api.ts', import.meta.url)

const HEAD = '// Generated from the OpenAPI document by `npm run client:generate`; do not edit.\n\n'
const LEFT_OUT = ['example', 'examples', 'headers'] // the document has them; as comments they would triple the file

// The generator is built on the JavaScript API of TypeScript 5, which TypeScript 7 no longer has. This package carries
// it without a `tsc` of its own, which would take the place of ours.
const TYPESCRIPT_5 = '@ts-morph/common/dist/typescript.js'

/** The TypeScript types of all routes, as the document of this checkout describes them. */
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
