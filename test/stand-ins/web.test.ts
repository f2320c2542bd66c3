import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWeb, type Web } from '../../local/stand-ins/web/index.ts'
import { testFolder } from '../support/test-folder.ts'
import { freshDomain } from '../support/web.ts'

const dir = testFolder()
let web: Web

beforeAll(async () => {
  web = await startWeb({ dir })
})
afterAll(() => web.stop())

describe('the resolver', () => {
  it('returns TXT records in JSON, long texts in strings of 255 bytes, escaped as in a zone file', async () => {
    const name = freshDomain()
    const txt = ['x'.repeat(300), 'a"b\\c é']
    await fetch(`${web.url}/records`, { method: 'PUT', body: JSON.stringify({ name, txt }) })
    const headers = { accept: 'application/dns-json' }
    const response = await fetch(`${web.dohUrl}?name=${name}&type=TXT`, { headers })
    expect(await response.json()).toMatchObject({
      Answer: [
        { data: `"${'x'.repeat(255)}" "${'x'.repeat(45)}"` },
        { data: String.raw`"a\"b\\c \195\169"` },
      ],
    })
  })
})
