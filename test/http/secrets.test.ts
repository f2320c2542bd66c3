import { randomBytes, randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeApiKey, makeSessionToken } from '../../src/credentials/token.ts'
import { shared } from '../support/harness.ts'
import { secretsIn, secretsInLogs, secretsInTables } from '../support/secrets-search.ts'

const h = shared()
const hex = () => randomBytes(32).toString('hex')

/** One of each kind, as it would look if it had slipped through. */
const PLANTED: Record<string, string> = {
  'a session token': makeSessionToken().text,
  'an API key': makeApiKey().text,
  'a webhook secret': `whsec_${randomBytes(32).toString('base64')}`,
  'a webhook signature': `sha256=${hex()}`,
  'a Standard Webhooks signature': `v1,${randomBytes(32).toString('base64')}`,
  "a payment provider's signature": `t=1795219200,v1=${hex()}`,
  'a signed token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
  'a credential in its header': `Authorization: Bearer ${hex()}`,
  'a magic link': `${h.identity_url}/interaction/4fJq0w2Z/link?token=short`,
  'a code of the identity provider': `/api/v1/auth/callback?code=${hex()}`,
}

describe('the search for secrets at the end of the tests', () => {
  it.each(Object.entries(PLANTED))('finds %s in a line of a log and in a table', async (what, secret) => {
    const { id } = await h.newOperator()
    const text = `it said "${secret}", and went on`
    const file = `planted-${randomUUID()}.log`
    try {
      writeFileSync(join(h.dir, file), `a line\n${JSON.stringify({ text })}\n`)
      await h.sql('update operators set name = $2 where id = $1', [id, text])
      const found = { what, begins: expect.stringMatching(/^.{12}$/) }
      expect(secretsInLogs(h.dir)).toContainEqual({ ...found, where: `${file}:2` })
      expect(await secretsInTables(h.database_url)).toContainEqual({ ...found, where: 'table operators' })
    } finally {
      rmSync(join(h.dir, file), { force: true })
      await h.sql("update operators set name = 'Alice' where id = $1", [id])
    }
  })

  it('finds a setting of the Worker, whatever it looks like', async () => {
    const settings = { SECRETS_KEY: 'a b/c' }
    expect(secretsIn('before a b/c after', 'x', settings)).toEqual([
      { what: 'SECRETS_KEY', where: 'x', begins: 'a b/c' },
    ])
    expect(await secretsInTables(h.database_url, settings)).toEqual([])
  })

  it('takes nothing for a secret that is shown to everybody', () => {
    const shown = [
      makeApiKey().id,
      makeSessionToken().id,
      'Authorization: this route takes a session token (reg_sess_…) as Bearer token',
      'whsec_…',
      `"inputs_sha256":"${hex()}"`,
      '/api/v1/auth/callback',
    ]
    for (const text of shown) expect(secretsIn(text, 'x')).toEqual([])
  })
})
