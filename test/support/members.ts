import { deliveriesOf } from './deliveries.ts'
import type { ApiResponse, Body, Harness, Operator } from './harness.ts'

/** A webhook URL where nobody listens. */
export const NOBODY_LISTENS = 'http://127.0.0.1:9/closed'

/** What tests of agents on platforms do on a stack. */
export function memberControl(h: Harness) {
  const { api, sql, newOperator, newPlatform, newAgent } = h
  const memberPath = (slug: string, reg: string) => `/platforms/${slug}/agents/${reg}`
  return {
    /** A platform of one operator and an agent of another on it. */
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

    /** The text of a key of a platform, which may read and report. */
    async platformKey({ token }: Operator, slug: string): Promise<string> {
      const body = { name: 'its key', permissions: ['read', 'activity:report'] }
      return (await api('POST', `/platforms/${slug}/api-keys`, { token, body })).body.key
    },

    /** Lets the notice of an agent be over, and the job run. */
    async endNotice(reg: string): Promise<void> {
      await sql(
        'update agents set platform_leaves_at = now() where reg = $1 and platform_leaves_at is not null',
        [reg],
      )
      await Promise.all([h.cron(), h.cron()])
    },

    profile: async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body,

    /** What a platform received, oldest first: types, each with what has changed or the state of the agent. */
    reported: async (platform: Body): Promise<string[]> =>
      (await deliveriesOf(h, platform)).map(({ type, data }) =>
        `${type} ${data.changed ?? data.platform_state ?? ''}`.trim(),
      ),

    /** What an operator's audit log says of a target, oldest first. */
    audited: async ({ id }: Operator, target: string): Promise<string[]> =>
      (
        await sql(
          'select action from audit_log where operator_id = $1 and target like $2 order by created_at, id',
          [id, `%${target}`],
        )
      ).map(({ action }) => action),
  }
}
