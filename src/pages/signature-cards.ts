import { Hono } from 'hono'
import * as z from 'zod'
import { CARDS_MAX, findCard, listCards } from '../agent-keys/card-store.ts'
import { forVerifiers } from '../agent-keys/jwk-set-routes.ts'
import { tagged } from '../http/caching.ts'
import type { App } from '../http/context.ts'
import { DOMAIN_MAX } from '../lib/host.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { regField, slugField, textField } from '../wire/fields.ts'
import { AGENT_PATH, inCapitals, requireAgentNumber } from './agent-number.ts'
import { parseQuery } from './respond.ts'

const query = z.object({
  operator: z.uuid('must be a UUID').optional(),
  platform: slugField.optional(),
  domain: textField(DOMAIN_MAX).optional(),
  after: regField.optional(),
})

/**
 * The Signature Agent Cards of agents, and the list of those that have a valid key.
 *
 * Source: draft-meunier-webbotauth-registry-04.
 */
export const signatureCards = new Hono<App>()
  .get(`${AGENT_PATH}/card.json`, ...forVerifiers, inCapitals('/card.json'), async (c) => {
    const { BASE_URL: registry } = c.get('env')
    const reg = requireAgentNumber(c.req.param('reg') ?? '')
    const found = await findCard(c.get('db'), reg)
    if (!found) throw agentNotFound(reg)
    const page = `${registry}/agents/${reg}`
    const card = {
      client_id: `${page}/card.json`,
      client_name: found.name,
      client_uri: page,
      jwks_uri: `${page}/jwks.json`,
      registration: { registry, reg },
    }
    return tagged(c, JSON.stringify(card))
  })
  .get('/agents/cards.txt', ...forVerifiers, async (c) => {
    const { BASE_URL } = c.get('env')
    const filters = parseQuery(c, query)
    const regs = await listCards(c.get('db'), filters, c.get('now')())
    const lines = regs.slice(0, CARDS_MAX).map((reg) => `${BASE_URL}/agents/${reg}/card.json\n`)
    if (regs.length > CARDS_MAX) {
      const next = new URL(c.req.url).searchParams
      next.set('after', regs[CARDS_MAX - 1] ?? '')
      lines.push(`# more: ${BASE_URL}/agents/cards.txt?${next}\n`)
    }
    const text = lines.join('')
    return tagged(c, text, text, 'text/plain; charset=utf-8')
  })
