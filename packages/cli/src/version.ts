import { readFileSync } from 'node:fs'

const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

/** The version of this package: its package.json lies above the source, and above what is built of it. */
export const version: string = JSON.parse(text).version
