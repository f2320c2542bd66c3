import { defaultName } from '../../auth/name.ts'
import { createToken, openedFrom } from '../../auth/open.ts'
import { sessionParam, tokenInput } from '../../auth/schema.ts'
import { endSession, endSessions } from '../../auth/store.ts'
import { prefetched, requireCaller, requireSession } from '../../credentials/authorize.ts'
import { putConsoleToken } from '../../credentials/cookie.ts'
import { ApiError } from '../../errors.ts'
import type { Ctx } from '../../http/context.ts'
import { beginCheck, readKyc } from '../../kyc/begin.ts'
import { changeOperator, readOperator } from '../../operators/change.ts'
import { operatorChanges } from '../../operators/schema.ts'
import { resumeMail } from '../../operators/store.ts'
import { NO_PROBLEMS } from '../../pages/field.ts'
import { day, html } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { attempt } from '../attempt.ts'
import { secretBox } from '../frame.ts'
import { done } from '../notice.ts'
import { alreadyShown, onceOf } from '../once.ts'
import { consolePages } from '../router.ts'
import { showWithTrail } from '../shell.ts'
import { prefsSent } from './form.ts'
import { accountPage } from './page.ts'
import { KYC_PATH, MAIL_PATH } from './sections.ts'

const ACCOUNT = '/console/account'
const NAME_OF_TOKEN = 'token_name'

export const accountPages = consolePages()
  .page(ACCOUNT, (c) =>
    accountPage(c, { token: { sent: c.req.query(NAME_OF_TOKEN), problems: NO_PROBLEMS } }),
  )
  .action(
    ACCOUNT,
    async (c, sent) => {
      const { name = '' } = sent.fields
      const changed = await attempt(['name'], () => change(c, { name }))
      if (changed.ok) return done(c, ACCOUNT, hadDefaultName(c) ? 'name-set' : 'account-changed')
      return accountPage(c, {
        status: changed.status,
        profile: { sent: sent.fields, problems: changed.problems },
      })
    },
    'session',
    readOperator,
  )
  .action(
    `${ACCOUNT}/notifications`,
    async (c, sent) => {
      await change(c, prefsSent(sent))
      return done(c, ACCOUNT, 'account-changed')
    },
    'session',
    readOperator,
  )
  .action(MAIL_PATH, async (c) => {
    await resumeMail(c.get('db'), requireCaller(c).operator_id)
    return done(c, ACCOUNT, 'mail-resumed')
  })
  .link(
    KYC_PATH,
    async (c) => {
      const { verification_url } = await beginCheck(c, prefetched(c, readKyc))
      return verification_url ? c.redirect(verification_url, 303) : done(c, ACCOUNT, 'check-under-way')
    },
    readKyc,
  )
  .action(`${ACCOUNT}/sessions/end-others`, async (c) => {
    await endAll(c, requireSession(c).session_id)
    return done(c, ACCOUNT, 'sessions-ended')
  })
  .action(`${ACCOUNT}/sessions/end-all`, async (c) => {
    await endAll(c, null)
    putConsoleToken(c, '')
    return c.redirect('/', 303)
  })
  .action(`${ACCOUNT}/sessions/:id/end`, async (c) => {
    const { id } = parse(sessionParam, c.req.param())
    const known = await endSession(c.get('db'), requireSession(c).operator_id, id, c.get('now')())
    if (!known) throw new ApiError('NOT_FOUND', `you have no session ${id}`)
    return done(c, ACCOUNT, 'session-ended')
  })
  .action(
    `${ACCOUNT}/tokens`,
    async (c, sent) => {
      const repeatable = await onceOf(c, sent)
      const given = sent.fields[NAME_OF_TOKEN]
      const made = await attempt([NAME_OF_TOKEN], () => {
        const { token_name: name } = parse(tokenInput, { token_name: given })
        const { operator_id, tier } = requireSession(c)
        return createToken(c.var, { operator_id, tier, name, ...openedFrom(c) }, repeatable)
      })
      if (!made.ok)
        return accountPage(c, { status: made.status, token: { sent: given, problems: made.problems } })
      if (!made.value) {
        return alreadyShown(
          c,
          html`If you did not copy the token, revoke its session and create another one: <a href="${ACCOUNT}#sessions">Sessions</a>.`,
        )
      }
      const { session_token, expires_at } = made.value
      return showWithTrail(c, [[ACCOUNT, 'Account']], {
        title: 'Your new token',
        main: html`${secretBox(`Token “${given}”.`, session_token)}
<p>Send it as <code>Authorization: Bearer …</code>. It is valid until ${day(expires_at)}. You can revoke it under <a href="${ACCOUNT}#sessions">Sessions</a> at any time.</p>
<p><a class="button" href="${ACCOUNT}">Back to the account</a></p>`,
      })
    },
    'strict',
  )

function change(c: Ctx, changes: unknown) {
  return changeOperator(c, parse(operatorChanges, changes), prefetched(c, readOperator))
}

/** Whether the operator had only the name that each account begins with. */
function hadDefaultName(c: Ctx): boolean {
  const before = prefetched(c, readOperator)
  return before?.name === defaultName(requireCaller(c).operator_id)
}

function endAll(c: Ctx, kept: string | null): Promise<void> {
  return endSessions(c.get('db'), requireSession(c).operator_id, kept, c.get('now')())
}
