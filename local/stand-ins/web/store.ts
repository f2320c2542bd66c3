import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

const file = z.object({
  body: z.string(),
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  delay_ms: z.number(),
})

const shape = z.object({
  port: z.number(),
  /** One text per TXT record. */
  records: z.record(z.string(), z.object({ txt: z.array(z.string()) })),
  files: z.record(z.string(), file),
})

/** All published records by name and files by domain, in lowercase. */
export type Published = z.infer<typeof shape>

export type Store = ReturnType<typeof openStore>

/** Reads the published records and files from `web.json` in its folder, or starts empty. */
export function openStore(dir: string) {
  return keepState<Published>(join(dir, 'web.json'), shape, () => ({ port: 0, records: {}, files: {} }))
}
