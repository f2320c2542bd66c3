import { readFileSync } from 'node:fs'

const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

/** The version of this package; its package.json is one folder above both the source and the build. */
export const version: string = JSON.parse(text).version
