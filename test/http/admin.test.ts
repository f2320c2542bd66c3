import { expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { freshEmail, shared } from '../support/harness.ts'

const { database_url, newOperator } = shared()
const admin = (...args: string[]) => administer(database_url, args)

it('says how an operator stands after a change, whatever the case of its address', async () => {
  const { email } = await newOperator()
  expect(await admin('tier', email, 'pro')).toBe(`${email}: active, pro, 0 of 50 agents active`)
  expect(await admin('suspend', email.toUpperCase())).toBe(`${email}: suspended, pro, 0 of 50 agents active`)
  expect(await admin('unsuspend', email)).toBe(`${email}: active, pro, 0 of 50 agents active`)
})

it('says what is wrong with its words', async () => {
  const email = freshEmail()
  await expect(admin('suspend', email)).rejects.toThrow(
    `there is no operator ${email}; who has never signed in is none`,
  )
  await expect(admin('tier', email, 'gold')).rejects.toThrow(
    "tier: must be free|pro|business|enterprise, not 'gold'",
  )
  await expect(admin('promote', email)).rejects.toThrow(
    /^unknown command 'promote': must be suspend, .*\nusage:\n/,
  )
})
