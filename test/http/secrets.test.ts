import { randomBytes, randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { base62 } from '../support/credentials.ts'
import { shared } from '../support/harness.ts'
import { secretsInLogs, secretsInTables } from '../support/secrets-search.ts'

const h = shared()
const hex = () => randomBytes(32).toString('hex')

/** One secret of each kind. */
const PLANTED: Record<string, string> = {
  'a session token': `reg_sess_${base62(59)}`,
  'an API key': `reg_live_${base62(48)}`,
  'a webhook secret': `whsec_${randomBytes(32).toString('base64')}`,
  'a webhook signature': `sha256=${hex()}`,
  'a Standard Webhooks signature': `v1,${randomBytes(32).toString('base64')}`,
  "a payment provider's signature": `t=1795219200,v1=${hex()}`,
  'a signed token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
  'a credential in its header': `Authorization: Bearer ${hex()}`,
  'a magic link': `${h.identity_url}/interaction/4fJq0w2Z/link?token=short`,
  'a link that unsubscribes': `/unsubscribe/${randomUUID()}.trust_alert.${hex().slice(32)}`,
  'a code of the identity provider': `/api/v1/auth/callback?code=${hex()}`,
}

it('the search for secrets after the tests finds each kind in a log line and in a table', async () => {
  const planted = await Promise.all(
    Object.entries(PLANTED).map(async ([what, secret]) => {
      const { id } = await h.newOperator()
      const text = `prefix "${secret}", suffix`
      await h.sql('update operators set name = $2 where id = $1', [id, text])
      return { id, what, text }
    }),
  )
  const file = `planted-${randomUUID()}.log`
  try {
    writeFileSync(join(h.dir, file), planted.map(({ text }) => `${JSON.stringify({ text })}\n`).join(''))
    const found = [...secretsInLogs(h.dir), ...(await secretsInTables(h.database_url))]
    for (const [n, { what }] of planted.entries()) {
      const begins = expect.stringMatching(/^.{12}$/)
      expect(found).toContainEqual({ what, begins, where: `${file}:${n + 1}` })
      expect(found).toContainEqual({ what, begins, where: 'table operators' })
    }
  } finally {
    rmSync(join(h.dir, file), { force: true })
    for (const { id } of planted) await h.sql("update operators set name = 'Alice' where id = $1", [id])
  }
})
