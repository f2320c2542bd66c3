import { tirelessKey } from '../support/fill.ts'
import { freshSlug, type Operator } from '../support/harness.ts'
import type { Plant } from './plant.ts'

const AGENTS = 4
const TRIES = 5

/** An operator with a platform that receives every event, its agents, and a key with a high rate limit. */
export interface Site {
  operator: Operator
  platform: string
  agents: string[]
  key: string
}

export const newSite = (plant: Plant): Promise<Site> =>
  withRetries(async () => {
    const operator = await plant.newOperator({ tier: 'enterprise' })
    const slug = freshSlug()
    await plant.newPlatform(operator, { slug, name: slug, webhook_url: plant.webhookUrl })
    const agents: string[] = []
    for (let n = 0; n < AGENTS; n++)
      agents.push((await plant.newAgent(operator, { platform_slug: slug })).reg)
    return { operator, platform: slug, agents, key: await tirelessKey(plant, operator) }
  })

/** Retries after 503: on a busy machine Redis may exceed its timeout. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await work()
    } catch (error) {
      if (n === TRIES || !String(error).includes(' 503 ')) throw error
    }
  }
}
