import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../../file.ts'

const record = z.object({
  /** One text for each TXT record. */
  txt: z.array(z.string()),
  /** The DNS response code: 0, or for example 2 when the name servers of the domain fail. */
  code: z.number(),
})

const file = z.object({
  body: z.string(),
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  delay_ms: z.number(),
})

const shape = z.object({
  port: z.number(),
  records: z.record(z.string(), record),
  files: z.record(z.string(), file),
})

export type PublishedRecord = z.infer<typeof record>

/** All that the world has published, by name and by domain, in lower case. */
export type Published = z.infer<typeof shape>

export interface Store {
  state: Published
  /** Writes the state to its file: whole, or not at all. */
  save(): void
}

/** Reads what was published before from `web.json` of its folder, or begins with nothing. */
export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, 'web.json')
  const state = existsSync(path)
    ? shape.parse(JSON.parse(readFileSync(path, 'utf8')))
    : { port: 0, records: {}, files: {} }
  return { state, save: () => writeWhole(path, JSON.stringify(state)) }
}
