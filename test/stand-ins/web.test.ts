import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWeb, type Web } from '../../local/stand-ins/web/index.ts'
import { probe } from '../../src/ownership/probe.ts'
import { recordName, recordValue } from '../../src/ownership/proof.ts'
import { freshDomain } from '../support/web.ts'

let dir = ''
let web: Web

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'web-'))
  web = await startWeb({ dir })
})
afterAll(async () => {
  await web.stop()
  await rm(dir, { recursive: true, force: true })
})

const put = (path: string, body: unknown) =>
  fetch(web.url + path, { method: 'PUT', body: typeof body === 'string' ? body : JSON.stringify(body) })

const ask = async (name: string, type = 'TXT', accept = 'application/dns-json') => {
  const response = await fetch(`${web.dohUrl}?name=${name}&type=${type}`, { headers: { accept } })
  const json = response.headers.get('content-type') === 'application/dns-json'
  return { status: response.status, body: json ? await response.json() : await response.text() }
}

describe('the resolver', () => {
  it('returns TXT records in the form of DNS over HTTPS in JSON', async () => {
    const name = `_reg-agent.${freshDomain()}`
    expect((await put('/records', { name, txt: 'v=spf1 -all' })).status).toBe(204)
    expect(await ask(`${name.toUpperCase()}.`)).toEqual({
      status: 200,
      body: {
        Status: 0,
        TC: false,
        RD: true,
        RA: true,
        AD: false,
        CD: false,
        Question: [{ name, type: 16 }],
        Answer: [{ name, type: 16, TTL: 300, data: '"v=spf1 -all"' }],
      },
    })
  })

  it('splits long texts into strings of 255 bytes, and escapes them as in a zone file', async () => {
    const name = freshDomain()
    await put('/records', { name, txt: ['x'.repeat(300), 'a"b\\c é'] })
    const { body } = await ask(name)
    expect(body).toMatchObject({
      Answer: [
        { data: `"${'x'.repeat(255)}" "${'x'.repeat(45)}"` },
        { data: String.raw`"a\"b\\c \195\169"` },
      ],
    })
  })
})

it('works with the domain check of the Worker, also after a restart', async () => {
  const proof = (method: 'dns' | 'http') =>
    ({ reg: 'REG-2026-0001-0042-U', domain: freshDomain(), method, token: 'abc' }) as const
  const [byDns, byFile] = [proof('dns'), proof('http')]
  const find = (one: typeof byDns | typeof byFile) =>
    probe({ DOH_URL: web.dohUrl, WELL_KNOWN_BASE_URL: web.filesUrl }, one)
  expect(await find(byDns)).toMatchObject({ outcome: 'missed' })
  await put('/records', { name: recordName(byDns.domain), txt: ['other', recordValue(byDns)] })
  await put('/files', { domain: byFile.domain, body: { reg: byFile.reg, token: byFile.token } })
  const { url } = web
  await web.stop()
  expect(await find(byDns)).toEqual({ outcome: 'unknown' })
  expect(await find(byFile)).toMatchObject({ outcome: 'missed' })
  web = await startWeb({ dir })
  expect(web.url).toBe(url)
  expect([await find(byDns), await find(byFile)]).toEqual([{ outcome: 'found' }, { outcome: 'found' }])
})
