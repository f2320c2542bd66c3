import { DAY_MS } from '../../src/lib/time.ts'
import { makeUnsubscribeToken } from '../../src/mail/unsubscribe-token.ts'
import { newAgentKey } from './agent-keys.ts'
import { establish, identify, platformKey } from './attested.ts'
import { disable, fillDeliveries } from './deliveries.ts'
import { unknownReg } from './fill.ts'
import type { Body, Call, Harness, Operator } from './harness.ts'
import { memberControl, NOBODY_LISTENS } from './members.ts'
import { webControl } from './web.ts'
import { settingsOf } from './worker-settings.ts'

const HISTORY_DAYS = [58, 50, 42, 35, 28, 24, 20, 16, 12, 9, 6, 4, 3, 2, 1]
const ASTRAL = '𝔸'.repeat(255)
/** A text that would break out of a script, attribute or element if it were not escaped. */
const HOSTILE = `</script><script>alert(1)</script>"'><img src=x onerror=alert(2)> & ]]>`

export type World = Awaited<ReturnType<typeof makeWorld>>

const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const task = (reg: string, event_type = 'task_completed') => ({
  reg,
  event_type,
  metadata: { response_ms: 900, quality: 0.95 },
})

/** Creates data for pages in each of their states: operators, agents, platforms, and deliveries. */
export async function makeWorld(h: Harness) {
  const { admin, newAgent, newKey, newOperator, newPlatform, report, sql } = h
  async function api(method: string, path: string, call: Call): Promise<Body> {
    const { status, body, text } = await h.api(method, path, call)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return body
  }

  async function person(name: string): Promise<Operator> {
    const email = `${name.split(' ')[0]}@example.com`
    await newOperator({ tier: 'pro', email, now: ago(80) })
    const operator = await newOperator({ email })
    await sql('update operators set name = $2 where id = $1', [operator.id, name])
    return operator
  }

  const [acme, keeper, first, full, suspended, hostile] = await Promise.all([
    person('Acme GmbH'),
    person('Ledger Market Ltd'),
    newOperator({ email: 'first@example.com' }),
    newOperator({ email: 'full@example.com' }),
    person('Gone Inc'),
    person('Mallory'),
  ])
  await identify(h, acme, keeper)
  await sql(
    `update operators set kyc_status = 'verified', kyc_verified_at = $2::timestamptz, name_verified_at = $2::timestamptz,
       kyc_expires_at = $2::timestamptz + interval '1 year', company_name = 'Acme', company_url = 'https://acme.example.com' where id = $1`,
    [acme.id, ago(70)],
  )

  /** Registers an agent with a number of completed tasks that only its operator reports. */
  async function selfReported(owner: Operator, name: string, tasks: number, fields: object = {}) {
    const [agent, key] = await Promise.all([
      newAgent(owner, { name, ...fields }, ago(9)),
      newKey(owner, undefined, { name: `${name.slice(0, 40)} reports` }),
    ])
    const events = Array(tasks).fill(task(agent.reg))
    if (tasks > 0) await api('POST', '/activity/report/batch', { token: key.key, body: { events } })
    return { reg: agent.reg as string, key: key.key as string }
  }

  /** Registers an agent with everything: a verified domain, a reporting platform, two months of work, incidents. */
  async function veteran(): Promise<string> {
    const platform = await newPlatform(keeper, {
      slug: 'ledger-market',
      name: 'Ledger Market',
      webhook_url: NOBODY_LISTENS,
    })
    await establish(h, platform.slug)
    const { reg } = await newAgent(
      acme,
      {
        name: 'Invoice Reader',
        description: 'Reads invoices and files them',
        specializations: ['invoices', 'accounting'],
        platform_slug: platform.slug,
        homepage_url: 'https://agents.acme.example.com/invoice-reader',
      },
      ago(60),
    )
    await memberControl(h).confirm(keeper, platform.slug, reg)
    await webControl(h).prove(reg, acme, { domain: 'acme.example.com', now: ago(3) })
    const token = await platformKey(h, keeper, platform.slug)
    for (const days of HISTORY_DAYS) {
      const events = [
        ...Array(10 + (days % 7)).fill(task(reg)),
        ...Array(days % 3).fill(task(reg, 'task_failed')),
      ]
      await api('POST', '/activity/report/batch', { token, body: { events }, now: ago(days) })
      if (days === 20) await incident(token, reg, 'error', 'Two invoices were filed twice', days)
      if (days === 2) await incident(token, reg, 'warning', 'Slow responses', days)
      await h.cron(ago(days - 0.01))
    }
    const { data } = await api('GET', `/agents/${reg}/incidents`, {})
    const old = data.find(({ severity }: { severity: string }) => severity === 'error')
    await api('POST', `/incidents/${old.incident_id}/resolve`, {
      token: acme.token,
      body: { resolution: 'One of each pair was removed' },
      now: ago(18),
    })
    return reg
  }

  const incident = (token: string, reg: string, severity: string, title: string, days: number) =>
    report(
      token,
      reg,
      { event_type: 'incident', severity, metadata: { title, description: `${title}.` } },
      ago(days),
    )

  const [invoices, few, provisional, deactivated, suspendedAgent, redacted, hostileAgent, astral] =
    await Promise.all([
      veteran(),
      selfReported(acme, 'Fresh Start', 3),
      selfReported(acme, 'Mail Sorter', 14),
      selfReported(acme, 'Old Hand', 12),
      selfReported(suspended, 'Left Behind', 11),
      selfReported(acme, 'Loose Tongue', 12),
      selfReported(hostile, HOSTILE, 12, {
        description: HOSTILE,
        specializations: [HOSTILE.slice(0, 40)],
      }),
      selfReported(hostile, ASTRAL, 0, { description: ASTRAL }),
    ])
  const { kid } = await newAgentKey(h, acme, invoices, { now: ago(9) })
  const ended = await newAgentKey(h, acme, invoices, { now: ago(8) })
  await api('DELETE', `/agents/${invoices}/keys/${ended.kid}?reason=compromised`, { token: acme.token })
  await api('PATCH', `/agents/${deactivated.reg}`, { token: acme.token, body: { status: 'deactivated' } })
  await webControl(h).challenge(few.reg, acme, { domain: 'fresh.example.com' })
  const secret = await report(redacted.key, redacted.reg, {
    event_type: 'incident',
    severity: 'error',
    metadata: { title: 'A password: hunter2' },
  })
  await admin('redact', secret.id, '--reason', 'secret')
  await report(hostileAgent.key, hostileAgent.reg, {
    event_type: 'incident',
    severity: 'critical',
    metadata: { title: HOSTILE, description: HOSTILE },
  })
  await h.suspend(suspended)
  for (const name of ['One', 'Two', 'Three']) await newAgent(full, { name })

  const platform = (owner: Operator, slug: string, fields: object = {}) =>
    newPlatform(owner, { slug, name: `The ${slug}`, webhook_url: NOBODY_LISTENS, ...fields })
  await Promise.all([
    platform(acme, 'acme-market', { admission: 'approval' }),
    platform(acme, 'acme-quiet', { webhook_url: null }),
    platform(acme, 'acme-stopped'),
    platform(acme, 'acme-failing'),
    platform(keeper, 'ledger-retired'),
    platform(hostile, 'mallory', { name: HOSTILE }),
  ])
  const guest = await selfReported(keeper, 'Guest', 0, { platform_slug: 'acme-market' })
  await disable(h, { slug: 'acme-stopped' })
  await sql(`update platforms set consecutive_failures = 7, failing_since = $1 where slug = 'acme-failing'`, [
    ago(1),
  ])
  const { token } = acme
  await api('POST', '/platforms/acme-market/webhook-secret', { token })
  const ownKey = await h.newPlatformKey(acme, 'acme-market', ['activity:report'])
  await api('DELETE', '/platforms/ledger-retired', { token: keeper.token })
  const sent = (status: 'delivered' | 'failed' | 'pending' | 'skipped', days: number) => ({
    status,
    at: ago(days),
  })
  const [delivered, failed, skipped, pending] = await fillDeliveries(h, 'acme-market', [
    sent('delivered', 1),
    sent('failed', 2),
    sent('skipped', 3),
    sent('pending', 0.001),
  ])
  const [excerpt] = await fillDeliveries(h, 'mallory', [sent('failed', 1)])
  await sql('update webhook_attempts set response_excerpt = $2 where delivery_id = $1', [excerpt.id, HOSTILE])
  await h.cron()
  await sql('update api_keys set last_used_at = now() where operator_id = $1', [acme.id])
  const [key] = await sql(
    'select id from api_keys where operator_id = $1 and revoked_at is null order by created_at',
    [acme.id],
  )
  return {
    operators: { acme, keeper, first, full, suspended, hostile },
    regs: {
      invoices,
      few: few.reg,
      provisional: provisional.reg,
      deactivated: deactivated.reg,
      suspended: suspendedAgent.reg,
      redacted: redacted.reg,
      hostile: hostileAgent.reg,
      astral: astral.reg,
      guest: guest.reg,
      unknown: unknownReg(),
    },
    deliveries: {
      delivered: delivered.id,
      failed: failed.id,
      skipped: skipped.id,
      pending: pending.id,
      hostile: excerpt.id,
    },
    keys: { own: key.id as string, platform: ownKey.id as string, agent: kid },
    unsubscribe: await makeUnsubscribeToken(settingsOf(h.dir).IDENTITY_KEY ?? '', {
      operator_id: acme.id,
      type: 'incident_alert',
    }),
  }
}
