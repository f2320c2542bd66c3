import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startWorker } from '../../local/worker.ts'
import { enter, fill, findChromium, openPage, startChromium } from '../support/chromium.ts'
import {
  freshEmail,
  freshSlug,
  type Harness,
  ownStack,
  type Receiver,
  startReceiver,
} from '../support/harness.ts'
import { viewProblems } from '../support/page-look.ts'
import { SOON } from '../support/patience.ts'
import { expectSigned } from '../support/signature.ts'
import { freshDomain, webControl } from '../support/web.ts'

const REASON = 'The face in the selfie does not match the face on the document.'

describe.skipIf(!findChromium())('an operator in Chromium (skipped if it is not installed)', () => {
  let own: Harness & { stop(): Promise<void> }
  let browser: Browser
  const receivers: Receiver[] = []
  beforeAll(async () => {
    ;[own, browser] = await Promise.all([ownStack({ runWorker: startWorker }), startChromium()])
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), ...receivers.map((receiver) => receiver.stop())])
    await own?.stop()
  })

  const heading = (page: Page) => page.innerText('h1')
  const main = (page: Page) => page.innerText('main')
  const look = (page: Page) => viewProblems(page, page.viewportSize()?.width ?? 0)

  /** Signs in by email, from the sign-in page to the overview. */
  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto(`${own.base_url}/console`)
    expect(await heading(page)).toBe('Sign in')
    await enter(page, 'Sign in by email')
    await fill(page, 'Email address', email)
    await enter(page, 'Send me a link')
    await enter(page, 'the local mailbox')
    await enter(page, 'Your sign-in link')
    expect(page.url()).toBe(`${own.base_url}/console`)
    expect(await heading(page)).toBe('Overview')
  }

  /** Fails an identity check; the console shows why. */
  async function failCheck(page: Page, token: string): Promise<void> {
    const { body } = await own.api('POST', '/operators/me/kyc/start', { token })
    await page.goto(body.verification_url)
    expect(await heading(page)).toBe('Verify your identity')
    await page.getByLabel('Reason for a rejection').selectOption({ label: REASON })
    await enter(page, 'Reject')
    expect(await heading(page)).toBe('Account')
    // Not expect.poll, which must know the current test: two run concurrently.
    await vi.waitFor(async () => {
      await page.goto(`${own.base_url}/console/account`)
      expect(await main(page)).toMatch(/The last check failed: .*selfie/)
    }, SOON)
  }

  async function proveDomain(page: Page, hasScript: boolean): Promise<void> {
    const domain = freshDomain()
    await enter(page, 'Verify its domain')
    await fill(page, 'Domain', 'localhost')
    await enter(page, 'Create challenge')
    expect(await main(page)).toContain('One field needs a change')
    if (hasScript) expect(await look(page)).toEqual([])
    await fill(page, 'Domain', domain)
    await enter(page, 'Create challenge')
    const [name, value] = [await page.innerText('#record-name'), await page.innerText('#record-value')]
    await webControl(own).putRecord(name, value)
    await enter(page, 'Check now')
    expect(await main(page)).toContain(`${domain} has been verified by a DNS record`)
  }

  /** Redelivers the event from the page of its delivery, once its delivery has finished: with a script, it says so itself. */
  async function sendAgain(page: Page, hasScript: boolean): Promise<void> {
    await vi.waitFor(async () => {
      if (!hasScript) await page.reload()
      expect(await main(page)).toContain('Redeliver')
    }, SOON)
    await enter(page, 'Redeliver')
    expect(await main(page)).toContain('The event is being redelivered')
  }

  it.concurrent.each([
    ['by keyboard', true],
    ['without script', false],
  ])(
    'can sign in, register an agent, verify a domain, redeliver a webhook, and sign out: %s',
    async (_, hasScript) => {
      const receiver = await startReceiver()
      receivers.push(receiver)
      const { page, complaints } = await openPage(browser, undefined, { javaScriptEnabled: hasScript })
      await signIn(page, freshEmail())

      await enter(page, 'Set your name')
      await fill(page, 'Name of the program', 'a story')
      await enter(page, 'Create token')
      const token = await page.innerText('pre')
      await failCheck(page, token)
      await fill(page, 'Name', 'Acme GmbH')
      await enter(page, 'Save changes')

      await enter(page, 'Register an agent')
      await fill(page, 'Name', 'Invoice Reader')
      await page.getByLabel('Class', { exact: true }).selectOption({ label: 'S · semi-autonomous' })
      await enter(page, 'Register agent')
      const [reg = ''] = /REG-\d{4}-\d{4}-\d{4}-\w/.exec(await main(page)) ?? []
      expect((await own.api('GET', `/agents/${reg}`)).body).toMatchObject({
        name: 'Invoice Reader',
        class: 'S',
      })

      await proveDomain(page, hasScript)

      await enter(page, 'Create an API key')
      await fill(page, 'Name', 'worker')
      await enter(page, 'Create key')
      const key = await page.innerText('#secret')
      if (hasScript) expect(await look(page)).toEqual([])
      await own.report(key, reg)

      await enter(page, 'Platforms')
      await enter(page, 'Register a platform')
      await fill(page, 'Name', 'Acme Market')
      await fill(page, 'Slug', freshSlug())
      await fill(page, 'Webhook URL (optional)', receiver.url)
      await enter(page, 'Register platform')
      const secret = await page.innerText('#secret')
      if (hasScript) expect(await look(page)).toEqual([])
      await enter(page, 'Send a test event')
      await enter(page, 'Send test event')
      const [tested] = await receiver.arrival(1)
      if (!tested) throw new Error('unreachable')
      expectSigned(tested, secret)

      await sendAgain(page, hasScript)
      const [, again] = await receiver.arrival(2)
      expect(again?.event.id).toBe(tested.event.id)

      await enter(page, 'Sign out')
      expect(page.url()).toBe(`${own.base_url}/`)
      await page.goto(`${own.base_url}/console`)
      expect(await heading(page)).toBe('Sign in')
      expect(complaints).toEqual([])
    },
  )
})
