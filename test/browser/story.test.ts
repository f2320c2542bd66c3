import { afterAll, expect, it, vi } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { freshEmail, freshSlug, ownStack, type Receiver, startReceiver } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import { expectSigned } from '../support/signature.ts'
import { openVisitors, type Visitor } from '../support/visitor.ts'
import { freshDomain, webControl } from '../support/web.ts'

const own = await ownStack({ runWorker: startWorker })
const { visitors, close } = await openVisitors()
const receivers: Receiver[] = []
afterAll(async () => {
  await close()
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await own.stop()
})

/** Signs in by email, from the sign-in page to the overview. */
async function signIn(visitor: Visitor, email: string): Promise<void> {
  await visitor.open(`${own.base_url}/console`)
  expect(await visitor.text('h1')).toBe('Sign in')
  await visitor.press('Sign in by email')
  await visitor.fill('Email address', email)
  await visitor.press('Send me a link')
  await visitor.press('the local mailbox')
  await visitor.press('Your sign-in link')
  expect(await visitor.address()).toBe(`${own.base_url}/console`)
  expect(await visitor.text('h1')).toBe('Overview')
}

async function proveDomain(visitor: Visitor): Promise<void> {
  const domain = freshDomain()
  await visitor.press('Verify a domain')
  await visitor.fill('Domain', 'localhost')
  await visitor.press('Create challenge')
  expect(await visitor.text('main')).toContain('One field needs a change')
  expect(await visitor.problems()).toEqual([])
  await visitor.fill('Domain', domain)
  await visitor.press('Create challenge')
  const [name, value] = [await visitor.text('#record-name'), await visitor.text('#record-value')]
  await webControl(own).putRecord(name, value)
  await visitor.press('Check now')
  expect(await visitor.text('main')).toContain(`${domain} has been verified by a DNS record`)
}

/** Redelivers the event from the page of its delivery, once its delivery has finished. */
async function sendAgain(visitor: Visitor): Promise<void> {
  const at = await visitor.address()
  await vi.waitFor(async () => {
    await visitor.open(at)
    expect(await visitor.text('main')).toContain('Redeliver')
  }, SOON)
  await visitor.press('Redeliver')
  expect(await visitor.text('main')).toContain('The event is being redelivered')
}

it.concurrent.each(visitors)(
  'an operator can sign in, register an agent, verify a domain, redeliver a webhook, and sign out: $1',
  async (visitor) => {
    const receiver = await startReceiver()
    receivers.push(receiver)
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
    const key = await visitor.text('#secret')
    expect(await visitor.problems()).toEqual([])
    await own.report(key, reg)

    await visitor.press('Platforms')
    await visitor.press('Register a platform')
    await visitor.fill('Name', 'Acme Market')
    await visitor.fill('Slug', freshSlug())
    await visitor.fill('Webhook URL (optional)', receiver.url)
    await visitor.press('Register platform')
    const secret = await visitor.text('#secret')
    expect(await visitor.problems()).toEqual([])
    await visitor.press('Send a test event')
    await visitor.press('Send test event')
    const [tested] = await receiver.arrival(1)
    if (!tested) throw new Error('unreachable')
    expectSigned(tested, secret)

    await sendAgain(visitor)
    const [, again] = await receiver.arrival(2)
    expect(again?.event.id).toBe(tested.event.id)

    await visitor.press('Sign out')
    expect(await visitor.address()).toBe(`${own.base_url}/`)
    await visitor.open(`${own.base_url}/console`)
    expect(await visitor.text('h1')).toBe('Sign in')
    expect(visitor.complaints).toEqual([])
  },
)
