import { describe, expect, it } from 'vitest'
import { openConsole } from '../support/console.ts'
import { freshEmail, shared } from '../support/harness.ts'

const h = shared()

describe('the console', () => {
  it('shows who is not signed in how to sign in', async () => {
    const response = await fetch(`${h.base_url}/console`)
    expect(response.status).toBe(401)
    expect(await response.text()).toContain('href="/console/sign-in?to=%2Fconsole"')
  })

  it('lets its operator in, and out again', async () => {
    const visitor = await openConsole(h, freshEmail())
    const overview = await visitor.get('/console')
    expect(overview).toMatchObject({ status: 200, title: 'Overview · Agent Registry' })
    const out = await visitor.send('/console', '/console/sign-out', {})
    expect(out).toMatchObject({ status: 303, location: '/' })
    expect(await visitor.get('/console')).toMatchObject({ status: 401 })
  })

  it('refuses forms that another site has sent, or that were shown to another session', async () => {
    const [visitor, other] = [await openConsole(h, freshEmail()), await openConsole(h, freshEmail())]
    const fields = await visitor.fieldsOf('/console', '/console/sign-out')
    const refused = [
      await visitor.post('/console/sign-out', {}),
      await visitor.post('/console/sign-out', await other.fieldsOf('/console', '/console/sign-out')),
      await visitor.post('/console/sign-out', fields, { Origin: 'https://evil.example' }),
      await visitor.post('/console/sign-out', fields, { 'Sec-Fetch-Site': 'cross-site' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(await visitor.get('/console')).toMatchObject({ status: 200 })
  })
})
