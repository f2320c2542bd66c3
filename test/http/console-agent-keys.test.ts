import { describe, expect, it } from 'vitest'
import { utcDay } from '../../src/lib/time.ts'
import { makeKey, newAgentKey, newProof } from '../support/agent-keys.ts'
import { forgedFields, openConsole } from '../support/console.ts'
import { freshEmail, shared } from '../support/harness.ts'

const h = shared()

async function newVisitor() {
  const operator = await h.newOperator({ email: freshEmail() })
  const { reg } = await h.newAgent(operator)
  return { operator, reg, path: `/console/agents/${reg}/keys`, visitor: await openConsole(h, operator.email) }
}

const keysOf = async (reg: string) => (await h.api('GET', `/agents/${reg}/keys`)).body.data

describe('the keys of an agent in the console', () => {
  it('are registered by a proof that is made elsewhere, and shown on the public page', async () => {
    const { reg, path, visitor } = await newVisitor()
    const agentPage = `${h.base_url}/agents/${reg}`
    expect(await (await fetch(agentPage)).text()).not.toContain('Signs requests')
    expect((await visitor.get(`/console/agents/${reg}`)).text).toContain(`href="${path}"`)
    expect((await visitor.get(path)).text).toContain(
      `agentreg agent-keys proof ${reg} --base-url ${h.base_url}`,
    )
    const pair = await makeKey()
    const sent = await visitor.send(path, path, { proof: ` ${await newProof(h, reg, new Date(), pair)}\n` })
    expect(sent).toMatchObject({ status: 303, location: expect.stringContaining('notice=agent-key-added') })
    const { text } = await visitor.get(path)
    expect(text).toContain(`<code class="wrap">${pair.kid}</code>`)
    expect(text).not.toContain('class="scroll"') // nothing is hidden at 390 px
    expect(await keysOf(reg)).toMatchObject([{ kid: pair.kid, status: 'active' }])
    const shown = await (await fetch(`${agentPage}?days=365`)).text()
    const today = utcDay(new Date())
    expect(shown).toMatch(
      new RegExp(
        `Signs requests</dt><dd>1 key, since <time[^>]*>${today}</time> · <a href="/docs/signed-requests">`,
      ),
    )
  })

  it('are not registered by a wrong proof, which is shown with its problem', async () => {
    const { reg, path, visitor } = await newVisitor()
    const other = await newProof(h, 'REG-2026-0001-0042-U')
    for (const [proof, problem] of [
      [other, `sub: must be ${reg}`],
      ['<script>', 'malformed'],
      ['', 'malformed'],
    ] as const) {
      const sent = await visitor.send(path, path, { proof })
      expect(sent.status).toBe(400)
      expect(sent.text).toMatch(/id="proof-problem"/)
      expect(sent.text).toContain(problem)
      expect(sent.text).not.toContain('<script>')
    }
    expect(await keysOf(reg)).toEqual([])
  })

  it('are revoked on a page of their own, with a reason, and only by the operator of the agent', async () => {
    const { operator, reg, path, visitor } = await newVisitor()
    const { kid } = await newAgentKey(h, operator, reg)
    const revoke = `${path}/${kid}/revoke`
    const stranger = await newVisitor()
    expect((await stranger.visitor.get(path)).status).toBe(404)
    expect((await stranger.visitor.get(revoke)).status).toBe(404)
    expect((await stranger.visitor.get(`${stranger.path}/${kid}/revoke`)).status).toBe(404)
    for (const [action, fields] of [
      [revoke, { reason: 'unused' }],
      [path, { proof: await newProof(h, reg) }],
    ] as const) {
      const forged = await forgedFields(h.dir, stranger.visitor, action)
      expect((await stranger.visitor.post(action, { ...forged, ...fields })).status).toBe(404)
    }
    expect(await keysOf(reg)).toMatchObject([{ kid, status: 'active' }])

    expect((await visitor.get(path)).text).toContain(`href="${revoke}"`)
    expect((await visitor.send(revoke, revoke, { reason: 'other' })).status).toBe(400)
    const sent = await visitor.send(revoke, revoke, { reason: 'compromised' })
    expect(sent).toMatchObject({ status: 303, location: expect.stringContaining('notice=agent-key-revoked') })
    expect(await keysOf(reg)).toMatchObject([{ kid, status: 'revoked', reason: 'compromised' }])
    const { text } = await visitor.get(path)
    expect(text).not.toContain(`href="${revoke}"`)
    expect(text).toMatch(/Revoked<\/span> <span class="hint">compromised, /)
  })
})
