import { afterAll, expect, it } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { freshEmail, ownStack } from '../support/harness.ts'
import { openVisitors, type Visitor } from '../support/visitor.ts'
import { freshDomain, webControl } from '../support/web.ts'

const own = await ownStack({ runWorker: startWorker })
const { visitors, close } = await openVisitors()
afterAll(async () => {
  await close()
  await own.stop()
})

/** From the page that asks to sign in to the overview. */
async function signIn(visitor: Visitor, email: string): Promise<void> {
  await visitor.open(`${own.base_url}/console`)
  expect(await visitor.text('h1')).toBe('Sign in')
  await visitor.press('Sign in by email')
  await visitor.fill('E-mail address', email)
  await visitor.press('Send me a link')
  await visitor.press('the local mailbox')
  await visitor.press('Your sign-in link')
  expect(await visitor.address()).toBe(`${own.base_url}/console`)
  expect(await visitor.text('h1')).toBe('Overview')
}

async function proveDomain(visitor: Visitor): Promise<void> {
  const domain = freshDomain()
  await visitor.press('Prove a domain')
  await visitor.fill('Domain', domain)
  await visitor.press('Get the record')
  const [name, value] = [await visitor.text('#record-name'), await visitor.text('#record-value')]
  await webControl(own).putRecord(name, value)
  await visitor.press('Check now')
  expect(await visitor.text('main')).toContain(`${domain} is proved by a DNS record`)
}

it.concurrent.each(visitors)(
  'leads an operator from the first sign-in to a webhook that is sent again, and out: $1',
  async (visitor) => {
    const email = freshEmail()
    await signIn(visitor, email)

    await visitor.press('Set your name')
    await visitor.fill('Name', 'Acme GmbH')
    await visitor.press('Save changes')

    await visitor.press('Overview')
    await visitor.press('Register an agent')
    await visitor.fill('Name', 'Invoice Reader')
    await visitor.fill('Class', 'S · semi-autonomous')
    await visitor.press('Register agent')
    const [reg = ''] = /REG-\d{4}-\d{4}-\d{4}-\w/.exec(await visitor.text('main')) ?? []
    expect((await own.api('GET', `/agents/${reg}`)).body).toMatchObject({
      name: 'Invoice Reader',
      class: 'S',
    })

    await visitor.press('Overview')
    await proveDomain(visitor)

    await visitor.press('Overview')
    await visitor.press('Create an API key')
    await visitor.fill('Name', 'worker')
    await visitor.press('Create key')
    await own.report(await visitor.text('#secret'), reg)

    await visitor.press('Sign out')
    expect(await visitor.address()).toBe(`${own.base_url}/`)
    await visitor.open(`${own.base_url}/console`)
    expect(await visitor.text('h1')).toBe('Sign in')
    expect(visitor.complaints).toEqual([])
  },
)
