import { Hono } from 'hono'
import * as z from 'zod'
import { signedMessage } from '../api/internal.ts'
import { connect } from '../db/client.ts'
import type { App } from '../http/context.ts'
import { PAGE_MS, SNAPSHOTS_PATH, snapshotPage } from './snapshots.ts'

const page = z.object({ from: z.uuid(), until: z.uuid().nullable(), at: z.iso.datetime() })

/** Receives pages of jobs that the Worker sends to itself through QStash. */
export const jobRoutes = new Hono<App>().post('/qstash/snapshots', async (c) => {
  const { at, ...range } = await signedMessage(c, SNAPSHOTS_PATH, page)
  const { env } = c.var
  const db = connect(env, AbortSignal.timeout(PAGE_MS))
  return c.json({ agents: await snapshotPage({ env, db, now: new Date(at) }, range) })
})
