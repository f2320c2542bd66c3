import { Hono } from 'hono'
import * as z from 'zod'
import { signedMessage } from '../api/internal.ts'
import { toRelayResponse } from '../api/relay.ts'
import { connect } from '../db/client.ts'
import type { App } from '../http/context.ts'
import { ATTEMPTS_MAX } from '../lib/retries.ts'
import { MAIL_PATH } from './publish.ts'
import { relayMail } from './relay.ts'

const STEP_DEADLINE_MS = 5_000

const message = z.object({ mail_id: z.uuid(), attempt: z.int().min(1).max(ATTEMPTS_MAX) })

/** The endpoint that QStash calls for each attempt of a mail. */
export const mailRelayRoutes = new Hono<App>().post('/qstash/mail', async (c) => {
  const sent = await signedMessage(c, MAIL_PATH, message)
  const { env, now } = c.var
  const result = await relayMail(env, () => connect(env, AbortSignal.timeout(STEP_DEADLINE_MS)), sent, now)
  return toRelayResponse(c, result)
})
