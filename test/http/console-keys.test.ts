import { describe, expect, it } from 'vitest'
import { type ConsoleVisitor, newVisitor, problemAt } from '../support/console.ts'
import { type Operator, shared } from '../support/harness.ts'

const h = shared()
const { api } = h
const tickedIn = (text: string) => [...text.matchAll(/value="([^"]*)" checked>/g)].map(([, value]) => value)
const keyIn = (text: string) => /reg_live_[0-9A-Za-z]{48}/.exec(text)?.[0]

/** The pages of keys, and the same keys in the API. */
const HOLDERS = {
  'an operator': async (_: Operator) => ({ pages: '/console/keys', path: '/operators/me/api-keys' }),
  'a platform': async (operator: Operator) => {
    const { slug } = await h.newPlatform(operator)
    return { pages: `/console/platforms/${slug}/keys`, path: `/platforms/${slug}/api-keys` }
  },
}

describe.each(Object.entries(HOLDERS))('a key of %s in the console', (holder, pagesOf) => {
  async function newHolder() {
    const { operator, visitor } = await newVisitor(h)
    const { token } = operator
    const { pages, path } = await pagesOf(operator)
    const list = async () => (await api('GET', path, { token })).body.data
    const create = async () =>
      (await api('POST', path, { token, body: { name: 'a key', permissions: ['read'] } })).body
    const { reg } = await h.newAgent(operator)
    const use = async (key: string) => (await api('GET', `/verify/${reg}/full`, { token: key })).status
    return { visitor, pages, form: `${pages}/new`, list, create, use }
  }
  const filled = async (visitor: ConsoleVisitor, form: string, fields: object = {}) => ({
    ...(await visitor.fieldsOf(form, form)),
    name: '<i>worker</i>',
    permissions: 'read',
    ...fields,
  })

  it('is created and shown once, also if its form is sent several times in parallel, and valid', async () => {
    const { visitor, pages, form, list, use } = await newHolder()
    const fields = await filled(visitor, form, { expires_at: '2036-01-02', rate_limit_per_minute: '7' })
    const sent = await Promise.all(Array.from({ length: 5 }, () => visitor.post(form, fields)))
    const [made, ...again] = sent.toSorted((a, b) => a.status - b.status)
    expect(made?.status).toBe(200)
    expect(made?.headers.get('cache-control')).toMatch(/no-store/)
    expect(await use(keyIn(made?.text ?? '') ?? '')).toBe(200)
    for (const other of ['curl', 'Back to the agent']) expect(made?.text).not.toContain(other)
    expect(again).toMatchObject(Array(4).fill({ status: 409, title: 'Already shown · Agent Registry' }))
    const { text } = await visitor.get(pages)
    expect(text).toContain('&lt;i&gt;worker&lt;/i&gt;')
    for (const shown of [text, ...again.map((one) => one.text)]) expect(keyIn(shown)).toBeUndefined()
    const expires_at = '2036-01-02T00:00:00.000Z'
    expect(await list()).toMatchObject([{ permissions: ['read'], expires_at, rate_limit_per_minute: 7 }])
  })

  it('is rejected at the invalid field', async () => {
    const { visitor, form, list } = await newHolder()
    const wrongs: [field: string, value: string][] = [
      ['name', ''],
      ['permissions', holder === 'a platform' ? 'write' : ''],
      ['expires_at', '2020-01-01'],
      ['expires_at', 'soon'],
      ['rate_limit_per_minute', '61'],
    ]
    for (const [field, value] of wrongs) {
      const { status, text } = await visitor.post(form, await filled(visitor, form, { [field]: value }))
      expect({ field, status, problem: problemAt(text, field) }).toEqual({
        field,
        status: 400,
        problem: expect.any(String),
      })
      if (field !== 'permissions') expect(tickedIn(text)).toEqual(['read'])
    }
    const { text } = await visitor.get(`${form}?reg=nonsense`)
    expect(text).not.toContain('nonsense')
    expect(tickedIn(text)).toEqual(['activity:report'])
    expect(await list()).toEqual([])
  })

  it('can be changed up to the limits of the tier, and is revoked after its name is typed', async () => {
    const { visitor, pages, list, create, use } = await newHolder()
    const { id, key } = await create()
    const path = `${pages}/${id}`
    for (const [rate_limit_per_minute, problem] of [
      ['61', 'at most 60 in your tier'],
      ['0x10', ''],
    ] as const) {
      const { status, text } = await visitor.send(path, path, { name: 'other', rate_limit_per_minute })
      expect(status).toBe(400)
      expect(problemAt(text, 'rate_limit_per_minute')).toContain(problem)
      expect(text).toContain('value="other"')
    }
    const sent = await visitor.send(path, path, { name: 'renamed', rate_limit_per_minute: '30' })
    expect(sent).toMatchObject({ status: 303, location: pages, notice: 'key-changed.0' })
    expect(await list()).toMatchObject([{ name: 'renamed', rate_limit_per_minute: 30 }])
    const listed = (await visitor.get(pages)).text
    expect(listed).toContain(`href="${path}"`)
    expect(listed).toContain('>never<')
    const revoke = `${path}/revoke`
    expect((await visitor.send(revoke, revoke, { name: 'a key' })).status).toBe(400)
    expect(await use(key)).toBe(200)
    expect((await visitor.send(revoke, revoke, { name: 'renamed' })).status).toBe(303)
    expect(await use(key)).toBe(401)
    const ended = await create()
    await h.sql("update api_keys set expires_at = now() - interval '1 hour' where id = $1", [ended.id])
    const { text } = await visitor.get(pages)
    expect(text).toMatch(/Revoked<\/span> <span class="hint"><time/)
    expect(text).toMatch(/Expired<\/span> <span class="hint"><time/)
    expect(text).not.toContain(`href="${path}"`)
  })
})

it('a form that exceeds a quota of the day keeps its input', async () => {
  const { operator, visitor } = await newVisitor(h)
  const form = '/console/keys/new'
  await h.sql(
    `insert into allowances (operator_id, name, since, taken) values ($1, 'changes', '2099-01-01', 1000000)
     on conflict (operator_id, name) do update set since = excluded.since, taken = excluded.taken`,
    [operator.id],
  )
  const sent = await visitor.send(form, form, { name: 'one too many', permissions: 'read' })
  expect(sent.status).toBe(429)
  expect(sent.text).toContain('value="one too many"')
})

it('the form for a key counts against the strict rate limit, as in the API', async () => {
  const { visitor } = await newVisitor(h)
  const form = '/console/keys/new'
  const fields = { ...(await visitor.fieldsOf(form, form)), name: '' }
  const statuses: number[] = []
  // Ten per minute are allowed: of 21 at least one is rejected, also if a minute ends in between.
  for (let n = 0; n < 21 && !statuses.includes(429); n++)
    statuses.push((await visitor.post(form, fields)).status)
  expect(statuses).toContain(429)
  expect((await visitor.get('/console/keys')).status).toBe(200)
})
