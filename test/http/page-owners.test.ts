import { expect, it } from 'vitest'
import { freshSlug, shared } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'
import { memberControl } from '../support/members.ts'
import { attributeOf, pageReader, textsOf } from '../support/pages.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const read = pageReader(h)
const kyc = kycControl(h)
const members = memberControl(h)
const web = webControl(h)

it('the page of an operator shows the fields of the API for an operator without verifications', async () => {
  const operator = await h.newOperator()
  const page = await read(`/operators/${operator.id}`)
  expect(page.status).toBe(200)
  const { body } = await h.api('GET', `/operators/${operator.id}`)
  expect(textsOf(page, 'h1')).toEqual([`“ ${body.name} ”`])
  const created = body.created_at.slice(0, 10)
  const facts = ['not verified', `“ ${body.name} ” not checked`, 'none verified', '0', created, operator.id]
  expect(textsOf(page, 'dd')).toEqual(facts)
  expect(page.text).toContain('No agents.')
  expect(page.html).not.toContain('✓')
})

it('the page of an operator marks what is verified, and that it is suspended', async () => {
  const operator = await h.newOperator()
  const person = freshPerson()
  const name = `${person.first_name} ${person.last_name}`
  await h.api('PATCH', '/operators/me', { token: operator.token, body: { name } })
  await kyc.approve(operator, person)
  const { reg } = await h.newAgent(operator)
  const domain = freshDomain()
  await web.prove(reg, operator, { domain })
  const page = await read(`/operators/${operator.id.toUpperCase()}`)
  expect(textsOf(page, 'h1')).toEqual([name])
  const [identity, checked, domains, agents] = textsOf(page, 'dd')
  expect([identity?.slice(0, 10), checked?.slice(0, 9), agents]).toEqual(['✓ verified', '✓ checked', '1'])
  expect(domains).toMatch(new RegExp(`^✓ verified.*${domain}$`))
  expect(page.text).not.toContain('not checked')
  expect(textsOf(page, 'h2')).toEqual(['What is checked', '1 agent, best first'])
  expect((await read(`/agents?operator=${operator.id}`)).text).toContain(`by ${name} ✓ name checked`)
  await h.suspend(operator)
  const suspended = await read(`/operators/${operator.id}`)
  expect(suspended.text).toContain('This operator is suspended')
  expect(suspended.text).toContain(reg)
})

it('the page of an operator links from the first twenty agents to all of them', async () => {
  const operator = await h.newOperator({ tier: 'enterprise' })
  for (let n = 0; n < 3; n++) await Promise.all(Array.from({ length: 7 }, () => h.newAgent(operator)))
  const page = await read(`/operators/${operator.id}`)
  expect(page.html.match(/<h3>/g)).toHaveLength(20)
  const all = await read(attributeOf(page, '/agents?operator=', 'href') ?? '')
  expect(all.text).toContain('21 agents, best first')
})

it('the page of a platform shows the fields of the API, the name as a claim, and the agents', async () => {
  const { slug, reg } = await members.newMembership({ name: 'Market' })
  const page = await read(`/platforms/${slug}`)
  const { body } = await h.api('GET', `/platforms/${slug}`)
  expect(textsOf(page, 'h1')).toEqual([`“ ${body.name} ”`])
  const [name, established, vouched, , created] = textsOf(page, 'dd')
  expect(name).toMatch(/^“ Market ” not checked/)
  expect(established).toMatch(/^not established/)
  expect(vouched).toBe('no agent: it has confirmed none')
  expect(created).toBe(body.created_at.slice(0, 10))
  expect(textsOf(page, 'h2')).toEqual(['What is checked', '1 agent, best first'])
  expect(page.text).toContain(reg)
  expect(page.text).toContain('not confirmed by the platform')
})

it('the page of a platform marks confirmed agents, and that it is retired', async () => {
  const { host, slug, reg } = await members.newMembership({ admission: 'approval' })
  await members.confirm(host, slug, reg)
  const { text } = await read(`/platforms/${slug}`)
  expect(text).toContain('✓ confirmed by the platform')
  expect(text).toContain('Vouches for 1 agent that it has confirmed')
  expect(text).toContain('count as its agents only after its approval')
  await members.retire(host, slug)
  const page = await read(`/platforms/${slug}`)
  expect(page.status).toBe(200)
  expect(page.text).toContain('This platform is permanently retired')
  expect(page.text).toContain(reg)
  expect(page.text).not.toMatch(/confirmed|New agents/)
})

it('the page of a platform says since when a platform is established or distrusted', async () => {
  const { slug } = await h.newPlatform(await h.newOperator())
  const threeDays = `now() - interval '3 days 1 hour'`
  await h.sql(`update platforms set established_at = ${threeDays} where slug = $1`, [slug])
  expect((await read(`/platforms/${slug}`)).text).toContain('✓ established 3 days ago')
  await h.admin('distrust', slug)
  const page = await read(`/platforms/${slug}`)
  expect(page.text).toContain('distrusted by the registry just now')
  expect(page.html).not.toContain('✓')
})

it.each([
  [`/operators/${crypto.randomUUID()}`, 404, 'There is no operator'],
  ['/operators/alice', 400, 'Id: must be a UUID.'],
  [`/platforms/${freshSlug()}`, 404, 'There is no platform'],
  ['/platforms/Acme_Market', 400, 'Slug: must be 2 to 50 characters: a-z, 0-9'],
])('what does not exist is named: %s', async (path, status, text) => {
  const page = await read(path)
  expect(page.status).toBe(status)
  expect(page.text).toContain(text)
})
