import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'
import { attributeOf, expectPage, pageReader, textsOf } from '../support/pages.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const read = pageReader(h)
const kyc = kycControl(h)
const web = webControl(h)

it('shows the fields of the API for an operator without verifications', async () => {
  const operator = await h.newOperator()
  const page = await read(`/operators/${operator.id}`)
  expectPage(page, 200)
  const { body } = await h.api('GET', `/operators/${operator.id}`)
  expect(textsOf(page, 'h1')).toEqual([`“ ${body.name} ”`])
  expect(textsOf(page, 'dd')).toEqual([
    'not verified',
    `“ ${body.name} ” not checked`,
    'none verified',
    '0',
    body.created_at.slice(0, 10),
    operator.id,
  ])
  expect(page.text).toContain('No agents.')
  expect(page.html).not.toContain('✓')
  const json = attributeOf(page, 'type="application/json"', 'href')
  expect(json).toBe(`${h.base_url}/api/v1/operators/${operator.id}`)
  expect(attributeOf(page, 'rel="canonical"', 'href')).toBe(`${h.base_url}/operators/${operator.id}`)
})

it('marks what is verified: identity, name and domains', async () => {
  const operator = await h.newOperator()
  const person = freshPerson()
  const name = `${person.first_name} ${person.last_name}`
  await h.api('PATCH', '/operators/me', { token: operator.token, body: { name } })
  await kyc.approve(operator, person)
  const { reg } = await h.newAgent(operator)
  const domain = freshDomain()
  await web.publish(await web.challenge(reg, operator, { domain }))
  await h.api('POST', `/agents/${reg}/ownership/verify`, { token: operator.token })
  const page = await read(`/operators/${operator.id.toUpperCase()}`)
  expectPage(page, 200)
  expect(textsOf(page, 'h1')).toEqual([name])
  expect(textsOf(page, 'dd').slice(0, 4)).toEqual([
    '✓ verified : a person behind this account showed an identity document within the last 365 days',
    '✓ checked : an identity document checked for this account shows exactly this name',
    `✓ verified for its agents, and checked again every week: ${domain}`,
    '1',
  ])
  expect(page.text).not.toContain('not checked')
  expect(textsOf(page, 'h2')).toEqual(['What is checked', '1 agent, best first'])
  expect((await read(`/agents?operator=${operator.id}`)).text).toContain(`by ${name} ✓ name checked`)
})

it('says that an operator is suspended, and shows its agents', async () => {
  const { operator, reg } = await h.newReporter()
  await h.suspend(operator)
  const page = await read(`/operators/${operator.id}`)
  expectPage(page, 200)
  expect(page.text).toContain('This operator is suspended')
  expect(page.text).toContain(reg)
})

it('links from the first twenty agents to all of them', async () => {
  const operator = await h.newOperator({ tier: 'enterprise' })
  await Promise.all(Array.from({ length: 21 }, () => h.newAgent(operator)))
  const page = await read(`/operators/${operator.id}`)
  expect(page.html.match(/<h3>/g)).toHaveLength(20)
  const all = await read(attributeOf(page, '/agents?operator=', 'href') ?? '')
  expect(all.text).toContain('21 agents, best first')
})

it('escapes a hostile name', async () => {
  const operator = await h.newOperator()
  const name = `"><script>alert(1)</script>`
  await h.api('PATCH', '/operators/me', { token: operator.token, body: { name } })
  const page = await read(`/operators/${operator.id}`)
  expectPage(page, 200)
  expect(textsOf(page, 'h1')).toEqual([`“ ${name} ”`])
  expect(attributeOf(page, 'og:title', 'content')).toBe(`“${name}”, operator`)
})

it('returns 404 for an unknown id, and describes the form of an invalid one', async () => {
  const unknown = await read(`/operators/${crypto.randomUUID()}`)
  expectPage(unknown, 404)
  expect(unknown.text).toContain('There is no operator')
  const wrong = await read('/operators/alice')
  expectPage(wrong, 400)
  expect(wrong.text).toContain('Id: must be a UUID.')
})
