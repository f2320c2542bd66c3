import { parseEnv } from '../../../src/env.ts'
import { isLoopback } from '../../../src/lib/host.ts'
import { messageOf } from '../../support/message.ts'
import { ADVICE, checksOf, notTried, ok, wrong } from '../check.ts'
import { placementProblem } from '../placement.ts'
import { ALL_SETTINGS } from '../settings.ts'

/** Checks of the settings alone. */
export const settingsChecks = checksOf('settings', [
  {
    name: 'rules',
    async run({ given, placement }) {
      try {
        const { BASE_URL } = parseEnv({ ...given, ASSETS: { fetch } })
        if (placement && (!BASE_URL.startsWith('https:') || isLoopback(new URL(BASE_URL).hostname))) {
          return wrong('BASE_URL is not a public https URL', 'set it to the public https URL of the Worker')
        }
        const unset = ALL_SETTINGS.filter(({ name, need }) => need === 'optional' && !given[name])
        const names = unset.map(({ name }) => name).join(', ')
        return ok(`${Object.keys(given).length} settings are valid; not set: ${names || 'none'}`)
      } catch (error) {
        return wrong(messageOf(error).replace(/^settings: /, ''), ADVICE.settings)
      }
    },
  },
  {
    name: 'placement',
    async run({ env, placement }) {
      if (!placement) return notTried('a local stack has no placement')
      const problem = placementProblem(placement, env.DATABASE_URL)
      return problem
        ? wrong(problem, 'set the region of the database there, and deploy')
        : ok('the Worker runs in the region of the database')
    },
  },
])
