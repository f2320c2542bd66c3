import { expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { freshSlug, shared } from '../support/harness.ts'
import { memberControl } from '../support/members.ts'
import { attributeOf, expectPage, pageReader, textsOf } from '../support/pages.ts'

const h = shared()
const read = pageReader(h)
const members = memberControl(h)

it('shows the fields of the API, the name as a claim, and the agents', async () => {
  const { slug, reg } = await members.newMembership({ name: 'Market' })
  const page = await read(`/platforms/${slug}`)
  expectPage(page, 200)
  const { body } = await h.api('GET', `/platforms/${slug}`)
  expect(textsOf(page, 'h1')).toEqual([`“ ${body.name} ”`])
  expect(textsOf(page, 'dd')).toEqual([
    '“ Market ” not checked : the registry does not check who runs a platform',
    'not established : too few verified operators have worked with it for its reports to count as independent',
    'can claim to be on it; the platform confirms or removes them',
    body.created_at.slice(0, 10),
  ])
  expect(textsOf(page, 'h2')).toEqual(['What is checked', '1 agent, best first'])
  expect(page.text).toContain(reg)
  expect(page.text).toContain('not confirmed by the platform')
  const json = attributeOf(page, 'type="application/json"', 'href')
  expect(json).toBe(`${h.base_url}/api/v1/platforms/${slug}`)
})

it('marks an agent that the platform has confirmed', async () => {
  const { host, slug, reg } = await members.newMembership({ admission: 'approval' })
  await members.confirm(host, slug, reg)
  const { text } = await read(`/platforms/${slug}`)
  expect(text).toContain('✓ confirmed by the platform')
  expect(text).toContain('count as its agents only after its approval')
})

it('says that a platform is retired', async () => {
  const { host, slug, reg } = await members.newMembership()
  await members.retire(host, slug)
  const page = await read(`/platforms/${slug}`)
  expectPage(page, 200)
  expect(page.text).toContain('This platform is permanently retired')
  expect(page.text).toContain(reg)
  expect(page.text).not.toMatch(/confirmed|New agents/)
})

it('says since when a platform is established or distrusted', async () => {
  const { slug } = await h.newPlatform(await h.newOperator())
  const threeDays = `now() - interval '3 days 1 hour'`
  await h.sql(`update platforms set established_at = ${threeDays} where slug = $1`, [slug])
  expect((await read(`/platforms/${slug}`)).text).toContain('✓ established 3 days ago')
  await administer(h.database_url, ['distrust', slug])
  const page = await read(`/platforms/${slug}`)
  expect(page.text).toContain('distrusted by the registry just now')
  expect(page.html).not.toContain('✓')
})

it('escapes a hostile name', async () => {
  const name = `<svg onload=alert(1)> "'`
  const { slug } = await h.newPlatform(await h.newOperator(), { name })
  const page = await read(`/platforms/${slug}`)
  expectPage(page, 200)
  expect(textsOf(page, 'h1')).toEqual([`“ ${name} ”`])
  expect(page.html).not.toContain('<svg onload')
})

it('returns 404 for an unknown slug, and describes the form of an invalid one', async () => {
  const unknown = await read(`/platforms/${freshSlug()}`)
  expectPage(unknown, 404)
  expect(unknown.text).toContain('There is no platform')
  const wrong = await read('/platforms/Acme_Market')
  expectPage(wrong, 400)
  expect(wrong.text).toContain('Slug: must be 2 to 50 characters: a-z, 0-9')
})
