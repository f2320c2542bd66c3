import { describe, expect, it } from 'vitest'
import { NOTIFICATION_TYPES } from '../../src/db/enums.ts'
import { composeMail, type Notification } from '../../src/mail/text.ts'

const LINKS = {
  base: 'https://registry.example',
  unsubscribe: 'https://registry.example/unsubscribe/x.incident_alert.0',
}
const NOTIFICATION: Notification = {
  type: 'incident_alert',
  title: 'Incident: Wrong totals',
  body: 'Severity error. Three invoices.',
  reg: 'REG-2026-0001-0042-U',
  agent_name: 'Invoice Reader',
  held: null,
  incident: { id: '01a1fc89-cf65-7e90-91f2-582afd126737', severity: 'error', standing: 'self_reported' },
}
const compose = (changes: Partial<Notification> = {}) => composeMail({ ...NOTIFICATION, ...changes }, LINKS)

describe('the email of a notification', () => {
  it('says what happened, to which agent, what to do, where, and how to unsubscribe', () => {
    expect(compose().subject).toBe('Invoice Reader, self-reported: error: Wrong totals')
    expect(compose().text).toBe(`Incident: Wrong totals

Severity error. Three invoices.

Agent: Invoice Reader (REG-2026-0001-0042-U)

Find the cause, then resolve the incident and state how. It still counts toward the safety score.

Open the incident: https://registry.example/console/agents/REG-2026-0001-0042-U/incidents#incident-01a1fc89-cf65-7e90-91f2-582afd126737

-- 
You receive this email because emails for incident alerts are on. All notifications are in the console.
Console: https://registry.example/console
Unsubscribe from incident alerts: https://registry.example/unsubscribe/x.incident_alert.0
`)
  })

  it('that is always sent has no link to unsubscribe', () => {
    const { text, html } = composeMail(
      { ...NOTIFICATION, type: 'agent_key' },
      { ...LINKS, unsubscribe: null },
    )
    expect(text).toMatch(/because alerts about keys of agents are always sent\. All .*\nConsole: \S+\n$/)
    expect(html).toContain('Open the console</a></small>')
    expect(text + html).not.toMatch(/unsubscribe|null/i)
  })

  it.each(NOTIFICATION_TYPES)(
    'has a subject, and links to the console and to unsubscribe in both parts: %s',
    (type) => {
      for (const reg of [NOTIFICATION.reg, null]) {
        const { subject, text, html } = compose({ type, reg, agent_name: reg && 'Invoice Reader' })
        expect(subject).not.toBe('')
        for (const part of [text, html]) {
          expect(part).toContain('https://registry.example/console')
          expect(part).toContain(LINKS.unsubscribe)
          expect(part).not.toMatch(/\{reg\}|undefined|null|\[object/)
        }
      }
    },
  )

  it('names the agent in the subject if the title has no name', () => {
    expect(
      compose({ type: 'trust_alert', title: 'Trust score fell from 78.4 to 71.2', incident: null }).subject,
    ).toBe('Invoice Reader: Trust score fell from 78.4 to 71.2')
    expect(compose({ type: 'ownership_lost', title: 'Domain no longer verified: a.example' }).subject).toBe(
      'Domain no longer verified: a.example',
    )
  })

  it('shortens only a long subject, between characters', () => {
    const title = `Incident: ${'😀'.repeat(200)}`
    const { subject, text } = compose({ title, incident: null, agent_name: 'n'.repeat(200) })
    expect([...subject]).toHaveLength(78)
    expect(subject).toMatch(/^n{29}…: Incident: 😀+…$/u)
    expect(subject.isWellFormed()).toBe(true)
    expect(text).toContain(title)
  })

  it('lists in a digest what was not emailed, by type and agent, up to twenty lines', () => {
    const line = (n: number) => ({
      type: 'incident_alert' as const,
      reg: `R-${n}`,
      agent_name: 'Scout',
      count: n,
    })
    const digest = {
      type: 'weekly_digest' as const,
      reg: null,
      agent_name: null,
      title: 'Your week',
      body: 'Events: 1.',
    }
    const few = compose({
      ...digest,
      held: [line(3), { ...line(1), type: 'trust_alert' }, { ...line(2), reg: null }],
    })
    expect(few.text).toContain(
      'Notifications of that week that were not emailed:\n- incident alerts, Scout (R-3): 3\n- trust alerts, Scout (R-1): 1\n- incident alerts: 2\n',
    )
    expect(few.html).toContain(
      'Notifications of that week that were not emailed:\n- incident alerts, Scout (R-3): 3\n',
    )
    const many = compose({ ...digest, held: Array.from({ length: 21 }, (_, n) => line(n + 1)) })
    expect(many.text.match(/^- /gm)).toHaveLength(21)
    expect(many.text).toContain('- and more; see the console')
    expect(compose({ ...digest, held: [] }).text).not.toContain('not emailed')
  })
})

describe('hostile texts in an email', () => {
  it('are escaped in HTML', () => {
    const attack = `</h1><script>alert(1)</script><img src=x onerror="a">&amp;'`
    const { html } = compose({ title: attack, body: attack, agent_name: attack })
    expect(html).not.toMatch(/<script|<img|<\/h1><script/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('&amp;amp;')
  })

  it.each(['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\0\r\n'])(
    'cannot start a header with %j',
    (end) => {
      const { subject, text } = compose({
        title: `Incident: a${end}Bcc: everybody@example.com`,
        agent_name: `S${end}X`,
      })
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(text).toContain('Agent: S X (REG')
    },
  )

  it('cannot reverse or hide the text next to them', () => {
    const turned = '\u202Egnp.\u2066x\u200F\u061C\uFEFF'
    const parts = Object.values(compose({ title: turned, body: turned, agent_name: turned }))
    for (const part of parts) expect(part).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C\uFEFF]/)
  })

  it('keep their own direction if they are written from right to left', () => {
    const { html } = compose({ agent_name: 'قارئ الفواتير' })
    expect(html).toContain(
      '<p dir="auto" style="white-space:pre-line">Agent: قارئ الفواتير (REG-2026-0001-0042-U)</p>',
    )
    expect(html).toContain('<h1 dir="auto"')
  })
})
