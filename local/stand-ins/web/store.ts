import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

const record = z.object({
  /** One text per TXT record. */
  txt: z.array(z.string()),
  /** The DNS response code: 0, or an error such as 2 (SERVFAIL). */
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

/** All published records by name and files by domain, in lowercase. */
export type Published = z.infer<typeof shape>

export type Store = ReturnType<typeof openStore>

/** Reads the published records and files from `web.json` in its folder, or starts empty. */
export function openStore(dir: string) {
  return keepState<Published>(join(dir, 'web.json'), shape, () => ({ port: 0, records: {}, files: {} }))
}
