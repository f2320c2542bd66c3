import { newAgentKey, newProof } from '../agent-keys.ts'
import { openConsole } from '../console.ts'
import { freshEmail, freshSlug, type Harness } from '../harness.ts'
import type { Step } from './walk.ts'

/** Opens console pages and sends forms, whose statements no API route sends. */
export async function walkConsole(h: Harness, step: Step): Promise<void> {
  const email = freshEmail()
  const operator = await h.newOperator({ email, tier: 'pro' })
  const visitor = await openConsole(h, email)
  const { reg } = await h.newAgent(operator)
  const { id, key } = await h.newKey(operator)
  await h.report(key, reg, { event_type: 'incident', severity: 'error' })
  const other = await h.newOperator({ email })
  const { slug } = await h.newPlatform(operator)

  const open = (path: string) =>
    step(`GET ${path}`, async () => {
      const { status, text } = await visitor.get(path)
      if (status >= 400) throw new Error(`${path}: ${status} ${text}`)
    })
  const send = (page: string, action: string, fields: Record<string, string> = {}) =>
    step(`POST ${action}`, async () => {
      const { status, text } = await visitor.send(page, action, fields)
      if (status >= 400) throw new Error(`${action}: ${status} ${text}`)
    })

  for (const path of [
    '',
    '/agents?status=active',
    '/agents/new',
    '/keys',
    `/keys/${id}`,
    '/account',
    '/platforms',
    `/platforms/${slug}`,
    `/platforms/${slug}/deliveries`,
  ])
    await open(`/console${path}`)
  await send('/console/agents/new', '/console/agents/new', { name: 'A', class: 'A' })
  const agent = `/console/agents/${reg}`
  for (const tab of ['', '/activity', '/incidents']) await open(agent + tab)
  await send(`${agent}/settings`, `${agent}/settings`, { name: 'B' })
  await send(`${agent}/domain`, `${agent}/domain`, { domain: `${freshSlug()}.example.com`, method: 'dns' })
  await send(`${agent}/domain`, `${agent}/domain/check`)
  await send(`${agent}/domain`, `${agent}/domain/cancel`)
  const { kid } = await newAgentKey(h, operator, reg)
  await open(`${agent}/keys`)
  await send(`${agent}/keys`, `${agent}/keys`, { proof: await newProof(h, reg) })
  await send(`${agent}/keys/${kid}/revoke`, `${agent}/keys/${kid}/revoke`, { reason: 'unused' })
  const account = '/console/account'
  await send(account, account, { name: 'Acme' })
  await send(account, `${account}/tokens`, { token_name: 'a program' })
  await send(account, `${account}/sessions/${other.token.slice(9, 17)}/end`)
  await send('/console/keys/new', '/console/keys/new', { name: 'k', permissions: 'read' })
  await send(`/console/keys/${id}/revoke`, `/console/keys/${id}/revoke`, { name: 'a key' })
}
