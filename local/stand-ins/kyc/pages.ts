import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { PAGE_HEADERS, page } from '../identity/page.ts'
import type { Options } from './api.ts'
import { decide, REJECTIONS, type Rejection } from './session.ts'
import type { Session } from './store.ts'

const SITE = 'Local identity check'
/** The person of Stripe's test mode; the default of the form. */
const TEST_PERSON = { first_name: 'Jenny', last_name: 'Rosen', birth_date: '1901-01-01' }

const decisionForm = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('approve'),
    first_name: z.string().trim().default(TEST_PERSON.first_name),
    last_name: z.string().trim().default(TEST_PERSON.last_name),
    birth_date: z.iso.date().default(TEST_PERSON.birth_date),
  }),
  z.object({
    outcome: z.literal('reject'),
    code: z.enum(Object.keys(REJECTIONS) as [Rejection, ...Rejection[]]),
  }),
])

type Html = ReturnType<typeof html>

const show = (c: Context, status: ContentfulStatusCode, title: string, body: Html) =>
  c.body(String(page(title, body, 'narrow', SITE)), status, PAGE_HEADERS)

/** The page of a check, `/start/<token>`: a person approves or rejects it. */
export function checkPages({ store, sendEvent }: Options): Hono {
  const openSession = (token: string) =>
    store.state.sessions.find((session) => session.token === token && session.status === 'requires_input')

  const app = new Hono()
  app.get('/start/:token', (c) => {
    const session = openSession(c.req.param('token'))
    return session ? show(c, 200, 'Verify your identity', askPage(session)) : over(c)
  })
  app.post('/start/:token', async (c) => {
    const session = openSession(c.req.param('token'))
    if (!session) return over(c)
    const decision = decisionForm.safeParse(await c.req.parseBody())
    if (!decision.success) return show(c, 422, 'Verify your identity', askPage(session))
    Object.assign(session, { status: 'processing', last_error: null })
    sendEvent('processing', session)
    decide(session, decision.data)
    sendEvent(session.status, session)
    store.save()
    if (session.return_url) return c.redirect(session.return_url, 303)
    return show(c, 200, 'Thank you', html`<p>The registry is notified. You can close this page.</p>`)
  })
  return app
}

function askPage({ token, id }: Session): Html {
  return html`<p>A provider would now ask for a photo of your document and of your face. This is a local stack, so you choose the person and the outcome.</p>
<form method="post" action="/start/${token}">
<label for="first_name">First name on the document</label>
<input id="first_name" name="first_name" value="${TEST_PERSON.first_name}">
<label for="last_name">Last name on the document</label>
<input id="last_name" name="last_name" value="${TEST_PERSON.last_name}">
<label for="birth_date">Date of birth</label>
<input id="birth_date" name="birth_date" type="date" required value="${TEST_PERSON.birth_date}">
<button name="outcome" value="approve">Approve</button>
</form>
<form method="post" action="/start/${token}">
<label for="code">Reason for a rejection</label>
<select id="code" name="code">${Object.entries(REJECTIONS).map(([code, reason]) => html`<option value="${code}">${reason}</option>`)}</select>
<button name="outcome" value="reject" class="bare">Reject</button>
</form>
<p><small>Check <code>${id}</code></small></p>`
}

function over(c: Context) {
  return show(
    c,
    404,
    'This link is not valid',
    html`<p>It was used, replaced by a newer one, or canceled. Start the check again in the registry.</p>`,
  )
}
