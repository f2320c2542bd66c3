import { QUOTAS } from '../../db/tiers.ts'
import type { Publication } from './store.ts'

const PARALLEL = 10
const PERIOD_SECONDS = 60
const NO_HOST = 'none'

/**
 * The flow control of a delivery: one flow for all platforms of an operator with the same host. Registering more platforms
 * does not increase the load on a host, and operators do not slow each other down.
 *
 * Source: QStash documentation, "Flow Control"; its keys are letters, digits, hyphens, underscores and dots.
 */
export function flowOf({ operator_id, tier, host }: Pick<Publication, 'operator_id' | 'tier' | 'host'>) {
  const rate = QUOTAS[tier].webhooks_per_minute
  return {
    key: `${operator_id}_${host ?? NO_HOST}`,
    parallelism: PARALLEL,
    ...(rate !== null && { rate, period: PERIOD_SECONDS }),
  }
}
