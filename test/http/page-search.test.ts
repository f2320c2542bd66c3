import { expect, it } from 'vitest'
import { newVisitor } from '../support/console.ts'
import { freshWord } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilScored } from '../support/logged.ts'
import { attributeOf, pageReader, textsOf } from '../support/pages.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const read = pageReader(h)
const web = webControl(h)

const newAgents = async (count: number) => {
  const word = freshWord()
  const operator = await h.newOperator({ tier: 'enterprise' })
  const agents: Body[] = []
  for (let n = 0; n < count; n++)
    agents.push(await h.newAgent(operator, { name: `Scout ${n}`, specializations: [word] }))
  return { word, operator, agents }
}

const search = async (query: string) => (await h.api('GET', `/agents/search?${query}`)).body

it('the search page shows the results of the API: the same count, order and values', async () => {
  const { word, operator, agents } = await newAgents(3)
  const { key } = await h.newKey(operator)
  await h.reportBatch(key, Array(12).fill({ reg: agents[1]?.reg, event_type: 'task_completed' }))
  await untilScored(h, agents[1]?.reg)
  const page = await read(`/agents?specialization=${word}`)
  const { data, pagination } = await search(`specialization=${word}`)
  expect(textsOf(page, 'h2')).toEqual([`${pagination.total} agents, best first`])
  const rows = textsOf(page, 'tr').slice(1)
  expect(rows).toHaveLength(3)
  for (const [n, { reg, name, trust_score_overall, tasks_completed, operator_name }] of data.entries()) {
    const score = trust_score_overall === null ? '… unrated' : `? self-reported ${trust_score_overall} / 100`
    expect(rows[n]).toContain(`${name} ${reg} by “ ${operator_name} ” not checked ${score}`)
    expect(rows[n]).toContain(`${tasks_completed} completed in all no verified domain`)
  }
  expect(rows[0]).toContain('12 tasks in 30 days, 0 failed; most in a day: 12')
  const chosen = await read(attributeOf(page, 'class="tag is-self_reported"', 'href') ?? '')
  expect(textsOf(chosen, 'h3')).toEqual([data[0].name])
  expect(attributeOf(chosen, 'aria-current="true"', 'href')).toBe(`/agents?specialization=${word}`)
  const newest = await read(`/agents?q=${word}&order=newest`)
  expect(textsOf(newest, 'h2')).toEqual(['3 agents, newest first'])
  const times = textsOf(newest, 'tr')
    .slice(1)
    .map((row) => agents.find(({ reg }) => row.includes(reg))?.registered_at)
  expect(times).toEqual(times.toSorted().reverse())
})

it('the search page links to the other pages, and keeps the filters', async () => {
  const { word } = await newAgents(21)
  const first = await read(`/agents?specialization=${word}&class=A&min_score=`)
  expect(first.html).not.toContain('rel="prev"')
  const second = await read(attributeOf(first, 'rel="next"', 'href') ?? '')
  const { data } = await search(`specialization=${word}&class=A&page=2`)
  expect(data).toHaveLength(1)
  expect(second.text).toContain(data[0].reg)
  expect(second.html.match(/<h3>/g)).toHaveLength(1)
  expect(second.html).not.toContain('rel="next"')
  const back = await read(attributeOf(second, 'rel="prev"', 'href') ?? '')
  expect(textsOf(back, 'h3')).toEqual(textsOf(first, 'h3'))
  expect(attributeOf(second, 'name="specialization"', 'value')).toBe(word)
  const beyond = await read(`/agents?specialization=${word}&page=9`)
  expect(beyond.text).toContain('Page 9 is beyond the last page.')
  expect(attributeOf(beyond, 'rel="prev"', 'href')).toMatch(/page=2$/)
  const named = await read(`/agents?q=${word}&class=A&utm_source=mail&per_page=1`)
  const json = `${h.base_url}/api/v1/agents/search?q=${word}&class=A&status=active`
  expect(attributeOf(named, 'type="application/json"', 'href')).toBe(json)
})

it('the search page shows at the field, or above the form, why it is invalid', async () => {
  for (const [name, value, problem] of [
    ['min_score', '101', 'At most 100.'],
    ['under', 'no domain', 'Must be a domain name.'],
    ['q', 'x'.repeat(201), 'At most 200 characters.'],
  ] as const) {
    const page = await read(`/agents?${new URLSearchParams({ [name]: value })}`)
    expect(page.status).toBe(400)
    expect(attributeOf(page, `name="${name}"`, 'aria-invalid')).toBe('true')
    expect(attributeOf(page, `name="${name}"`, 'aria-describedby')).toContain(`${name}-problem`)
    expect(page.html).toContain(`id="${name}-problem">${problem}<`)
    expect(attributeOf(page, `name="${name}"`, 'value')).toBe(value)
    expect(page.headers.get('cache-control')).toBe('no-store')
  }
  for (const [query, reason] of [
    ['page=501', 'page: Only the first 10000 results are listed; narrow the search.'],
    ['class=A&class=S', 'class: Must be A, S, or H.'],
    ['standing=good', 'standing: Must be established, attested,'],
    ['order=worst', 'order: Must be score or newest.'],
  ]) {
    const page = await read(`/agents?${query}`)
    expect(page.status).toBe(400)
    expect(page.text).toContain(reason)
  }
})

/** Expects that a search text leads to another address. */
async function expectRedirect(typed: string, location: string): Promise<void> {
  const page = await read(`/agents?${new URLSearchParams({ q: typed, class: '' })}`)
  expect([typed, page.status, page.headers.get('location')]).toEqual([typed, 303, location])
}

it('the search for an agent number redirects to the agent, or says that the number is mistyped', async () => {
  const { reg } = await h.newReporter()
  for (const typed of [
    reg,
    ` ${reg.toLowerCase()} `,
    `https://registry.example/agents/${reg}?days=90#history`,
    `http://localhost:8787/agents/${reg.toLowerCase()}/log`,
  ])
    await expectRedirect(typed, `/agents/${reg}`)
  const page = await read('/agents?q=reg-2026-0001-0042-a')
  expect(page.status).toBe(200)
  expect(page.text).toContain('There is no agent REG-2026-0001-0042-A: its check character does not match')
})

it('the search for a domain redirects to the agents that have verified it or one below it', async () => {
  const operator = await h.newOperator({ tier: 'pro' })
  const prove = async (domain: string) => {
    const { reg } = await h.newAgent(operator)
    await web.prove(reg, operator, { domain })
    return reg as string
  }
  const [domain, other] = [freshDomain(), freshDomain()]
  const one = await prove(domain)
  for (const typed of [domain, domain.toUpperCase(), `https://${domain}/about?x=1`])
    await expectRedirect(typed, `/agents/${one}`)
  expect((await read(`/agents?domain=${domain}`)).text).toContain(`✓ ${domain} verified just now`)
  const two = await prove(domain)
  await expectRedirect(domain, `/agents?domain=${domain}`)
  const listed = await read(`/agents?domain=${domain}`)
  expect(textsOf(listed, 'h2')).toEqual(['2 agents, best first'])
  for (const reg of [one, two]) expect(listed.text).toContain(reg)

  const none = await read(`/agents?q=${other}`)
  expect(none.status).toBe(200)
  expect(none.text).toContain(`No agent has verified the domain ${other} or one below it.`)
  const below = await prove(`bots.${other}`)
  await prove(`x${other}`)
  await expectRedirect(`https://${other}/`, `/agents?under=${other}`)
  const under = await read(`/agents?under=${other}`)
  expect(textsOf(under, 'h2')).toEqual([`1 agent below ${other}, best first`])
  expect(under.text).toContain(below)
  expect(under.html).not.toContain('type="application/json"')
})

it('the search page lists deactivated agents only if they are asked for', async () => {
  const { word, operator, agents } = await newAgents(2)
  const [gone, kept] = agents.map(({ reg }) => reg as string)
  await h.api('PATCH', `/agents/${gone}`, { token: operator.token, body: { status: 'deactivated' } })
  const listed = async (more: string) => {
    const page = await read(`/agents?specialization=${word}${more}`)
    const json = attributeOf(page, 'type="application/json"', 'href') ?? ''
    const { data } = (await (await fetch(json)).json()) as { data: { reg: string }[] }
    const regs = page.html.match(/(?<=<h3><a href="\/agents\/)[^"]+/g) ?? []
    expect(data.map(({ reg }) => reg)).toEqual(regs)
    return regs
  }
  expect(await listed('')).toEqual([kept])
  expect(await listed('&status=deactivated')).toEqual([gone])
  expect(await listed('&status=all')).toEqual([kept, gone])
})

it('the search page says when it found only names of similar spelling', async () => {
  const word = `Zw${crypto.randomUUID().replaceAll(/[^a-z]/g, '')}qxv`
  await h.newAgent(await h.newOperator(), { name: word })
  const page = await read(`/agents?q=${word.slice(0, -1)}w`)
  expect(textsOf(page, 'h2')).toEqual([`No agent matches “${word.slice(0, -1)}w”`])
  expect(textsOf(page, 'h3')).toEqual([word])
})

it('the search page finds operators of agents by their name, as a claim, unless they are suspended', async () => {
  const name = `Acme ${crypto.randomUUID().replaceAll(/[^a-z]/g, '')}`
  const [operator, empty] = await Promise.all([h.newOperator(), h.newOperator()])
  for (const { token } of [operator, empty]) await h.api('PATCH', '/operators/me', { token, body: { name } })
  await h.newAgent(operator)
  const found = async () => textsOf(await read(`/agents?q=${encodeURIComponent(name)}`), 'li')
  expect(await found()).toContain(`“ ${name} ” not checked · 1 agent`)
  await h.suspend(operator)
  expect((await found()).join()).not.toContain(name)
})

it('an empty filter changes no page', async () => {
  const { operator, visitor } = await newVisitor(h)
  const [{ reg }, { slug }] = await Promise.all([h.newAgent(operator), h.newPlatform(operator)])
  for (const path of [
    '/agents?q=&class=&min_score=&page=',
    `/agents/${reg}?days=`,
    '/console/agents?status=&page=',
    '/console/audit?action=&page=',
    '/console/keys?page=',
    '/console/notifications?page=',
    '/console/platforms?page=',
    `/console/platforms/${slug}/agents?state=&page=`,
    `/console/platforms/${slug}/deliveries?status=&type=&reg=&from=&to=&page=`,
  ])
    expect([path, (await visitor.get(path)).status]).toEqual([path, 200])
})
