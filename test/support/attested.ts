import type { Source } from '../../src/db/enums.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import type { Body, Harness, Operator } from './harness.ts'

const PLENTY = QUOTAS.enterprise.key_requests_per_minute

/** Sets a different identity for each operator by SQL, as identity checks do. */
export async function identify(h: Harness, ...operators: readonly Operator[]): Promise<void> {
  const ids = operators.map(({ id }) => id)
  await h.sql('update operators set kyc_identity = id::text where id = any ($1)', [ids])
}

/** Establishes a platform by SQL, as the job does when enough operators have worked with it. */
export async function establish(h: Harness, slug: string): Promise<void> {
  await h.sql('update platforms set established_at = created_at where slug = $1', [slug])
}

/** Creates a platform key with a rate limit that tests never reach; its operator gets the highest tier. */
export async function platformKey(h: Harness, keeper: Operator, slug: string, now?: Date): Promise<string> {
  await h.admin('tier', keeper.email, 'enterprise')
  const { id, key } = await h.newPlatformKey(keeper, slug, undefined, now)
  await h.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [id, PLENTY])
  return key
}

/**
 * Creates an agent on a platform of another person, and a key of that platform.
 *
 * @param source the source of the platform's reports
 * @param platform fields of its registration
 */
export async function attestedAgent(
  h: Harness,
  options: { now?: Date | undefined; source?: Exclude<Source, 'self'>; platform?: object } = {},
): Promise<{ operator: Operator; keeper: Operator; platform: Body; agent: Body; key: string }> {
  const { now, source = 'independent', platform: fields } = options
  const person = () => h.newOperator({ tier: 'pro', ...(now && { now }) })
  const [operator, keeper] = await Promise.all([person(), person()])
  await identify(h, operator, keeper)
  const platform = await h.newPlatform(keeper, fields, now)
  if (source === 'independent') await establish(h, platform.slug)
  const agent = await h.newAgent(operator, { platform_slug: platform.slug }, now)
  return { operator, keeper, platform, agent, key: await platformKey(h, keeper, platform.slug, now) }
}
