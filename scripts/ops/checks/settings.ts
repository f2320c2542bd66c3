import { parseEnv } from '../../../src/env.ts'
import { placementProblem } from '../../deploy.ts'
import { messageOf } from '../../support/message.ts'
import { type Check, notTried, ok, wrong } from '../check.ts'

/** What can be said of the settings by themselves. */
export const settingsChecks: Check[] = [
  {
    part: 'settings',
    name: 'rules',
    todo: '',
    async run({ given }) {
      try {
        parseEnv({ ...given, ASSETS: { fetch } })
        return ok(`${Object.keys(given).length} settings keep the Worker's rules`)
      } catch (error) {
        return wrong(
          messageOf(error).replace(/^settings: /, ''),
          'mend them in the file, as docs/deploy.md says',
        )
      }
    },
  },
  {
    part: 'settings',
    name: 'placement',
    todo: '',
    async run({ env, placement }) {
      if (!placement) return notTried('a local stack runs in one place')
      const problem = placementProblem(placement, placement.where, env.DATABASE_URL)
      return problem
        ? wrong(problem, 'name the region of the database there, and deploy')
        : ok('the Worker runs in the region of the database')
    },
  },
]
