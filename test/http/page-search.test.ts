import { describe, expect, it } from 'vitest'
import { freshSlug, shared } from '../support/harness.ts'
import { memberControl } from '../support/members.ts'
import { attributeOf, expectPage, pageReader, textsOf } from '../support/pages.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const read = pageReader(h)
const members = memberControl(h)
const web = webControl(h)

/** A word that occurs in no other agent. */
const freshWord = () => `w${crypto.randomUUID().replaceAll('-', '')}`

const newAgents = async (count: number) => {
  const word = freshWord()
  const operator = await h.newOperator({ tier: 'enterprise' })
  const made = Array.from({ length: count }, (_, n) =>
    h.newAgent(operator, { name: `Scout ${n}`, specializations: [word] }),
  )
  return { word, operator, agents: await Promise.all(made) }
}

const search = async (query: string) => (await h.api('GET', `/agents/search?${query}`)).body

describe('the search page', () => {
  it('shows the results of the API: the same count, order and values', async () => {
    const { word, operator, agents } = await newAgents(3)
    const { key } = await h.newKey(operator)
    for (let n = 0; n < 12; n++) await h.report(key, agents[1]?.reg)
    await h.cron()
    const page = await read(`/agents?specialization=${word}`)
    expectPage(page, 200)
    const { data, pagination } = await search(`specialization=${word}`)
    expect(textsOf(page, 'h2')).toEqual([`${pagination.total} agents, best first`])
    const rows = textsOf(page, 'tr').slice(1)
    expect(rows).toHaveLength(3)
    for (const [n, { reg, name, trust_score_overall, tasks_completed, operator_name }] of data.entries()) {
      const score =
        trust_score_overall === null ? '… unrated' : `? self-reported ${trust_score_overall} / 100`
      const recent =
        tasks_completed === 0 ? 'No tasks in 30 days' : '12 tasks in 30 days, 0 failed; most in a day: 12'
      expect(rows[n]).toBe(
        `${name} ${reg} by “ ${operator_name} ” not checked ${score} ${recent} ${tasks_completed} completed in all no verified domain`,
      )
    }
    expect(rows[0]).toContain('12 completed')
    const chosen = await read(attributeOf(page, 'class="tag is-self_reported"', 'href') ?? '')
    expect(textsOf(chosen, 'h3')).toEqual([data[0].name])
    expect(attributeOf(chosen, 'aria-current="true"', 'href')).toBe(`/agents?specialization=${word}`)
    expect(textsOf(await read(`/agents?specialization=${word}&standing=unrated&class=A`), 'h3')).toHaveLength(
      2,
    )
    const newest = await read(`/agents?q=${word}&order=newest`)
    expect(textsOf(newest, 'h2')).toEqual(['3 agents, newest first'])
    const regs = textsOf(newest, 'tr')
      .slice(1)
      .map((row) => /REG-\S+/.exec(row)?.[0] ?? '')
    const times = await Promise.all(
      regs.map(async (reg) => (await h.api('GET', `/agents/${reg}`)).body.registered_at as string),
    )
    expect(times).toEqual(times.toSorted().reverse())
    expect(textsOf(await read(`/agents?q=${word}&order=score`), 'h3')[0]).toBe(data[0].name)
  })

  it('links to the other pages, and keeps the filters', async () => {
    const { word } = await newAgents(21)
    const first = await read(`/agents?specialization=${word}&class=A&min_score=`)
    expect(first.html).not.toContain('rel="prev"')
    const next = attributeOf(first, 'rel="next"', 'href') ?? ''
    const second = await read(next)
    expectPage(second, 200)
    const { data } = await search(`specialization=${word}&class=A&page=2`)
    expect(data).toHaveLength(1)
    expect(second.text).toContain(data[0].reg)
    expect(second.html.match(/<h3>/g)).toHaveLength(1)
    expect(second.html).not.toContain('rel="next"')
    const back = await read(attributeOf(second, 'rel="prev"', 'href') ?? '')
    expect(textsOf(back, 'h3')).toEqual(textsOf(first, 'h3'))
    expect(attributeOf(second, 'name="specialization"', 'value')).toBe(word)
    expect(attributeOf(second, 'name="class"', 'value')).toBe('A')
    const beyond = await read(`/agents?specialization=${word}&page=9`)
    expect(beyond.text).toContain('Page 9 is beyond the last page.')
    expect(attributeOf(beyond, 'rel="prev"', 'href')).toMatch(/page=2$/)
  })

  it('links to its JSON, which has the same results', async () => {
    const { word } = await newAgents(1)
    const page = await read(`/agents?q=${word}&class=A&utm_source=mail&per_page=1`)
    const json = attributeOf(page, 'type="application/json"', 'href') ?? ''
    expect(json).toBe(`${h.base_url}/api/v1/agents/search?q=${word}&class=A&status=active`)
    const body = await (await fetch(json)).json()
    expect(body).toMatchObject({ pagination: { total: 1 } })
    expect(attributeOf(page, 'rel="canonical"', 'href')).toBe(`${h.base_url}/agents`)
  })

  it('ignores empty fields and unknown parameters', async () => {
    const { word } = await newAgents(1)
    const path = `/agents?q=${word}&class=&ownership_status=&domain=&min_score=&specialization=&page=&ref=x&fbclid=1`
    expect((await read(path)).text).toContain('1 agent, best first')
  })

  it('shows at the field, or above the form, why it is invalid', async () => {
    for (const [name, value, problem] of [
      ['min_score', '101', 'At most 100.'],
      ['under', 'no domain', 'Must be a domain name.'],
      ['q', 'x'.repeat(201), 'At most 200 characters.'],
    ] as const) {
      const page = await read(`/agents?${new URLSearchParams({ [name]: value })}`)
      expectPage(page, 400)
      expect(page.text).toContain('This search has an invalid field')
      expect(attributeOf(page, `name="${name}"`, 'aria-invalid')).toBe('true')
      expect(attributeOf(page, `name="${name}"`, 'aria-describedby')).toContain(`${name}-problem`)
      expect(page.html).toContain(`id="${name}-problem">${problem}<`)
      expect(attributeOf(page, `name="${name}"`, 'value')).toBe(value)
      expect(page.headers.get('cache-control')).toBe('no-store')
    }
    for (const [query, reason] of [
      ['page=0', 'page: At least 1.'],
      ['page=501', 'page: Only the first 10000 results are listed; narrow the search.'],
      ['class=Z', 'class: Must be A, S, or H.'],
      ['class=A&class=S', 'class: Must be A, S, or H.'],
      [
        'standing=good',
        'standing: Must be established, attested, mixed, self_reported, poor, unrated, or critical.',
      ],
      ['order=worst', 'order: Must be score or newest.'],
    ]) {
      const page = await read(`/agents?${query}`)
      expectPage(page, 400)
      expect(page.text).toContain(reason)
    }
  })
})

describe('the search for an agent number', () => {
  it('redirects to the agent, also in lowercase, with spaces, or in a link', async () => {
    const { reg } = await h.newReporter()
    for (const typed of [
      reg,
      ` ${reg.toLowerCase()} `,
      `https://registry.example/agents/${reg}?days=90#history`,
      `http://localhost:8787/agents/${reg.toLowerCase()}/log`,
    ]) {
      const page = await read(`/agents?${new URLSearchParams({ q: typed, class: '' })}`)
      expect([typed, page.status, page.headers.get('location')]).toEqual([typed, 303, `/agents/${reg}`])
    }
  })

  it('with a wrong check character says that it is mistyped, and explains the check character', async () => {
    const page = await read('/agents?q=reg-2026-0001-0042-a')
    expectPage(page, 200)
    expect(page.text).toContain(
      'There is no agent REG-2026-0001-0042-A: its check character does not match, so at least one character is mistyped',
    )
    expect(textsOf(page, 'h2')).toEqual(['No agent found', 'What an agent number looks like'])
    expect(page.text).toContain('the check character: computed from the digits before it')
  })
})

describe('the search for a domain', () => {
  const prove = async (domain: string, count = 1) => {
    const operator = await h.newOperator({ tier: 'pro' })
    const agents = await Promise.all(Array.from({ length: count }, () => h.newAgent(operator)))
    for (const { reg } of agents) {
      await web.publish(await web.challenge(reg, operator, { domain }))
      const { token } = operator
      expect((await h.api('POST', `/agents/${reg}/ownership/verify`, { token })).status).toBe(200)
    }
    return agents.map(({ reg }) => reg as string)
  }

  it('redirects to the only agent that has verified it, also for the URL of a page', async () => {
    const domain = freshDomain()
    const [reg] = await prove(domain)
    for (const typed of [domain, domain.toUpperCase(), `https://${domain}/about?x=1`]) {
      const page = await read(`/agents?${new URLSearchParams({ q: typed })}`)
      expect([typed, page.status, page.headers.get('location')]).toEqual([typed, 303, `/agents/${reg}`])
    }
    const card = await read(`/agents?domain=${domain}`)
    expect(card.text).toContain(`✓ ${domain} verified just now`)
  })

  it('redirects to the list of the agents that have verified it', async () => {
    const domain = freshDomain()
    const regs = await prove(domain, 2)
    const page = await read(`/agents?q=${domain}&class=A`)
    expect([page.status, page.headers.get('location')]).toEqual([303, `/agents?class=A&domain=${domain}`])
    const listed = await read(page.headers.get('location') ?? '')
    expect(textsOf(listed, 'h2')).toEqual(['2 agents, best first'])
    for (const reg of regs) expect(listed.text).toContain(reg)
  })

  it('redirects to the agents that have verified one below it, if none has verified it', async () => {
    const parent = freshDomain()
    const [reg = ''] = await prove(`bots.${parent}`)
    await prove(`x${parent}`)
    const page = await read(`/agents?q=https://${parent}/`)
    expect([page.status, page.headers.get('location')]).toEqual([303, `/agents?under=${parent}`])
    const listed = await read(page.headers.get('location') ?? '')
    expectPage(listed, 200)
    expect(textsOf(listed, 'h2')).toEqual([`1 agent below ${parent}, best first`])
    expect(listed.text).toContain(reg)
    expect(listed.html).not.toContain('type="application/json"')
  })

  it('says that no agent has verified it', async () => {
    const domain = freshDomain()
    const page = await read(`/agents?q=${domain}`)
    expectPage(page, 200)
    expect(page.text).toContain(`No agent has verified the domain ${domain} or one below it.`)
  })
})

it('lists deactivated agents only if they are asked for', async () => {
  const { word, operator, agents } = await newAgents(2)
  const [gone, kept] = agents.map(({ reg }) => reg as string)
  const call = { token: operator.token, body: { status: 'deactivated' } }
  expect((await h.api('PATCH', `/agents/${gone}`, call)).status).toBe(200)
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

describe('a search result', () => {
  it('says when an agent is deactivated and its operator suspended', async () => {
    const { operator, agents } = await newAgents(1)
    const call = { token: operator.token, body: { status: 'deactivated' } }
    await h.api('PATCH', `/agents/${agents[0]?.reg}`, call)
    await h.suspend(operator)
    const { text } = await read(
      `/agents?operator=${operator.id}&operator_status=suspended&status=deactivated`,
    )
    expect(text).toMatch(/REG-\S+ by Operator \w{6} ⊘ suspended No tasks/)
  })

  it('escapes hostile texts', async () => {
    const word = freshWord()
    const operator = await h.newOperator()
    const name = `</title><script>alert(1)</script> "'&amp; ${word}`
    await h.newAgent(operator, { name })
    await h.api('PATCH', '/operators/me', { token: operator.token, body: { name: '<b onclick="x">' } })
    const page = await read(`/agents?q=${encodeURIComponent(`"${word}" <img src=x>`)}`)
    expect(page.html).not.toMatch(/<img|<b onclick/)
    expect(attributeOf(page, 'id="q"', 'value')).toBe(`"${word}" <img src=x>`)
    const found = await read(`/agents?q=${word}`)
    expectPage(found, 200)
    expect(found.text).toContain(name)
    expect(found.text).toContain('by “ <b onclick="x"> ”')
    expect(found.html).not.toMatch(/<script>|<b onclick/)
  })

  it('shows a name of 255 astral characters in full', async () => {
    const word = freshWord()
    const name = '\u{1F40D}'.repeat(255)
    await h.newAgent(await h.newOperator(), { name, specializations: [word] })
    expect(textsOf(await read(`/agents?q=${word}`), 'h3')).toEqual([name])
  })
})

it('says when it found only names of similar spelling', async () => {
  const word = `Zw${crypto.randomUUID().replaceAll(/[^a-z]/g, '')}qxv`
  await h.newAgent(await h.newOperator(), { name: word })
  const page = await read(`/agents?q=${word.slice(0, -1)}w`)
  expect(textsOf(page, 'h2')).toEqual([`No agent matches “${word.slice(0, -1)}w”`])
  expect(page.text).toContain('1 agent with a similar name:')
  expect(textsOf(page, 'h3')).toEqual([word])
})

it('finds operators of agents by their name, as a claim, unless they are suspended', async () => {
  const name = `Acme ${crypto.randomUUID().replaceAll(/[^a-z]/g, '')}`
  const [operator, empty] = await Promise.all([h.newOperator(), h.newOperator()])
  for (const { token } of [operator, empty])
    expect((await h.api('PATCH', '/operators/me', { token, body: { name } })).status).toBe(200)
  await h.newAgent(operator)
  const found = async () => textsOf(await read(`/agents?q=${encodeURIComponent(name)}`), 'li')
  expect(await found()).toContain(`“ ${name} ” not checked · 1 agent`)
  await h.suspend(operator)
  expect((await found()).join()).not.toContain(name)
})

describe('the search by platform', () => {
  it('shows the agents of the platform', async () => {
    const { slug, reg } = await members.newMembership({ slug: freshSlug() })
    const page = await read(`/agents?platform=${slug}`)
    expect(page.text).toContain(reg)
    expect(attributeOf(page, 'name="platform"', 'value')).toBe(slug)
  })
})
