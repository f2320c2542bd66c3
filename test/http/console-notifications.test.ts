import { describe, expect, it } from 'vitest'
import { newVisitor } from '../support/console.ts'
import { type Operator, shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newPlatform } = h

/** Stores one notification per title, the first of them the newest. */
const notify = ({ id }: Operator, titles: readonly string[], reg: string | null = null) =>
  sql(
    `insert into notifications (id, operator_id, type, title, body, reg, created_at)
     select gen_random_uuid(), $1, 'ownership_lost', title, 'Its "record" is <gone>', $3, now() - n * interval '1 minute'
     from jsonb_array_elements_text($2::jsonb) with ordinality as t (title, n) returning id`,
    [id, JSON.stringify(titles), reg],
  )

const unread = async ({ token }: Operator): Promise<number> =>
  (await api('GET', '/operators/me/notifications', { token })).body.unread_count

describe('notifications in the console', () => {
  it('are listed in pages, as escaped text, with a link to the agent and a mark if unread', async () => {
    const { visitor, operator } = await newVisitor(h)
    const page = '/console/notifications'
    expect((await visitor.get(page)).text).toContain('Nothing yet')
    const { reg } = await h.newAgent(operator)
    const titles = ['<script>first</script>', `About ${reg}`]
    await notify(operator, [...titles, ...Array.from({ length: 99 }, (_, n) => `Title ${n}`)], reg)
    const { text, title } = await visitor.get(page)
    expect(title).toBe('Notifications (101) · Agent Registry')
    for (const shown of [
      '&lt;script&gt;first&lt;/script&gt;',
      'Its &quot;record&quot; is &lt;gone&gt;',
      `href="/console/agents/${reg}"`,
      `About <span class="one">${reg}</span>`,
      '1–20 of 101',
      'title="Unread notifications">100<', // the menu counts no further
      `href="${page}?page=2"`,
    ])
      expect(text).toContain(shown)
    expect(text).not.toContain('<script>first')
    expect(text.match(/>New</g)).toHaveLength(20)
    const { text: second } = await visitor.get(`${page}?page=2`)
    expect(second).toContain('Title 18<')
    expect(second).not.toContain('Title 17<')
  })

  it('can be marked as read one by one, or all at once', async () => {
    const { visitor, operator } = await newVisitor(h)
    const page = '/console/notifications'
    await notify(operator, ['Alone'])
    const alone = await visitor.get(page)
    expect(alone.title).toBe('Notifications (1) · Agent Registry')
    for (const shown of ['Alone', '1 notification unread', `action="${page}/read-all"`])
      expect(alone.text).toContain(shown)
    const [first] = await notify(operator, ['One', 'Two'])
    const one = await visitor.send(page, `${page}/${first.id}/read`, {})
    expect(one).toMatchObject({ status: 303, location: page })
    expect(await unread(operator)).toBe(2)
    const all = await visitor.send(page, `${page}/read-all`, {})
    expect(all).toMatchObject({ status: 303, location: page, notice: 'notifications-read.2' })
    expect(await unread(operator)).toBe(0)
    const { text, title } = await visitor.get(all.location ?? '')
    expect(title).toBe('Notifications · Agent Registry')
    expect(text).toContain('Notifications marked as read: 2.')
    expect(text).toContain('All read')
    for (const other of ['/read-all"', '/read"', '>New<', 'href="/console/agents/', 'Unread notifications'])
      expect(text).not.toContain(other)
  })
})

it('the audit log in the console shows actions with their targets, and is filtered by action', async () => {
  const { visitor, operator } = await newVisitor(h)
  const { slug } = await newPlatform(operator)
  const { id } = await h.newKey(operator)
  const { reg } = await h.newAgent(operator)
  await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const { text } = await visitor.get('/console/audit')
  expect(text).toContain(`href="/agents/${reg}"`)
  for (const entry of ['Platform registered', 'platform.registered', 'API key created', id])
    expect(text).toContain(entry)
  expect(text).toContain(`href="/console/platforms/${slug}"`)
  const filtered = await visitor.get('/console/audit?action=platform.registered&page=')
  expect(filtered.text).toContain(slug)
  expect(filtered.text).not.toContain(id)
  expect((await visitor.get('/console/audit?action=kyc.verified')).text).toContain('No entries')
  const unknown = await visitor.get('/console/audit?action=nonsense')
  expect(unknown).toMatchObject({ status: 400, title: 'This request is invalid · Agent Registry' })
  expect(unknown.text).toContain('href="/console/audit">Continue in the console</a>')
})
