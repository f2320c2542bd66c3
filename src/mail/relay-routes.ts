import { Hono } from 'hono'
import * as z from 'zod'
import { signedMessage } from '../api/internal.ts'
import { connect } from '../db/client.ts'
import type { App } from '../http/context.ts'
import { MAIL_PATH } from './publish.ts'
import { relayMail } from './relay.ts'

const STEP_DEADLINE_MS = 5_000

const message = z.object({ mail_id: z.uuid() })

/** The endpoint that QStash calls for each mail, again after each status but 2xx. */
export const mailRelayRoutes = new Hono<App>().post('/qstash/mail', async (c) => {
  const { mail_id } = await signedMessage(c, MAIL_PATH, message)
  const { env, now } = c.var
  const done = await relayMail(env, () => connect(env, AbortSignal.timeout(STEP_DEADLINE_MS)), mail_id, now)
  return c.json({ done }, done ? 200 : 503)
})
