// The Worker's `zod` (alias in wrangler.toml): all but the 50 languages, the compiler and the reader of JSON Schemas.
// @hono/zod-openapi hands the namespace `z` around as a value, so that no bundler can leave them out by itself.
import * as z from './parts.js'

export * from './parts.js'
export { z }
