import { deliveriesOf } from './deliveries.ts'
import type { ApiResponse, Body, Harness, Operator } from './harness.ts'
import { auditOf } from './platforms.ts'

/** A webhook URL without a receiver. */
export const NOBODY_LISTENS = 'http://127.0.0.1:9/closed'

/** The operations of tests of agents on platforms. */
export function memberControl(h: Harness) {
  const { api, sql, newOperator, newPlatform, newAgent } = h
  const memberPath = (slug: string, reg: string) => `/platforms/${slug}/agents/${reg}`
  return {
    /** Creates a platform of one operator with an agent of another. */
    async newMembership(fields: object = {}) {
      const [host, owner] = await Promise.all([newOperator({ tier: 'pro' }), newOperator({ tier: 'pro' })])
      const platform = await newPlatform(host, { webhook_url: NOBODY_LISTENS, ...fields })
      const agent = await newAgent(owner, { platform_slug: platform.slug })
      return { host, owner, platform, slug: platform.slug as string, agent, reg: agent.reg as string }
    },

    patch: ({ token }: Operator, reg: string, body: object, now = new Date()): Promise<ApiResponse> =>
      api('PATCH', `/agents/${reg}`, { token, body, now }),

    confirm: ({ token }: Operator, slug: string, reg: string): Promise<ApiResponse> =>
      api('POST', `${memberPath(slug, reg)}/confirm`, { token }),

    remove: ({ token }: Operator, slug: string, reg: string): Promise<ApiResponse> =>
      api('DELETE', memberPath(slug, reg), { token }),

    retire: ({ token }: Operator, slug: string): Promise<ApiResponse> =>
      api('DELETE', `/platforms/${slug}`, { token }),

    /** Ends the notice period of an agent, and runs the job. */
    async endNotice(reg: string): Promise<void> {
      await sql(
        'update agents set platform_leaves_at = now() where reg = $1 and platform_leaves_at is not null',
        [reg],
      )
      await Promise.all([h.cron(), h.cron()])
    },

    profile: async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body,

    /** The webhooks of a platform, oldest first: the type, with the changed fields or the state of the agent. */
    reported: async (platform: Body): Promise<string[]> =>
      (await deliveriesOf(h, platform)).map(({ type, data }) =>
        `${type} ${data.changed ?? data.platform_state ?? ''}`.trim(),
      ),

    /** The entries about a target in an operator's audit log, oldest first. */
    audited: async (operator: Operator, of: string): Promise<string[]> =>
      (await auditOf(h, operator)).flatMap(({ action, target }) => (target?.endsWith(of) ? [action] : [])),
  }
}
