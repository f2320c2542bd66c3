import { HOUR_MS } from '../../src/lib/time.ts'
import { newProof } from './agent-keys.ts'
import { type ConsoleVisitor, forgedFields, newVisitor } from './console.ts'
import {
  CONSOLE_ROUTES,
  fieldsFor,
  newResources,
  parametersOf,
  pathFor,
  type Resources,
} from './console-routes.ts'
import { ago, disable, fillDeliveries } from './deliveries.ts'
import type { Harness, Operator } from './harness.ts'
import { webControl } from './web.ts'

/** Network steps: one reads the session and counts the request, the other is the page's batch or the action's statement. */
const BUDGET = 2
const VISITORS = 6
/** The routes that take another number of steps. */
const STEPS: Record<string, number> = {
  'GET /console/sign-in': 1,
  'POST /console/skip': 1,
  'GET /console/keys/new': 1,
  'GET /console/platforms/new': 1,
  'POST /console/agents/:reg/domain/check': 4, // one more for the allowance, and one for the lookup of the domain
  'POST /console/platforms/:slug/test': 3,
  'POST /console/platforms/:slug/deliveries/:id/redeliver': 3,
  'POST /console/platforms/:slug/deliveries/:id/retry-now': 3,
}
/** Routes that end the sessions of this test, or redirect to Stripe. */
const NOT_COUNTED = [
  'POST /console/sign-out',
  'GET /console/account/kyc',
  'POST /console/account/sessions/end-others',
  'POST /console/account/sessions/end-all',
]

type State = (own: Harness, operator: Operator, resources: Resources) => Promise<object>

const challenge: State = (own, operator, { 'agents/reg': reg = '' }) =>
  webControl(own).challenge(reg, operator)

/** What else must exist for an action; the fields that it returns are sent, and ids replace those of the resources. */
const STATES: Record<string, State> = {
  'POST /console/agents/:reg/domain/check': challenge,
  'POST /console/agents/:reg/domain/cancel': challenge,
  'POST /console/agents/:reg/platform': async (own, operator, resources) =>
    Object.assign(resources, await newResources(own, operator, ['platforms/slug', 'agents/reg'])),
  'POST /console/agents/:reg/keys': async (own, _, { 'agents/reg': reg = '' }) => ({
    proof: await newProof(own, reg),
  }),
  'POST /console/platforms/:slug/enable': async (own, _, { 'platforms/slug': slug = '' }) => {
    await disable(own, { slug })
    return {}
  },
  'POST /console/platforms/:slug/deliveries/:id/retry-now': async (own, _, resources) => {
    const { 'platforms/slug': slug = '' } = resources
    const [{ id }] = await fillDeliveries(own, slug, [{ status: 'pending', at: ago(-HOUR_MS) }])
    resources['deliveries/id'] = id
    return {}
  },
}

/** Operators who are signed in, in turn: one alone would exceed the limit of its session, and make too many keys per minute. */
export async function newVisitors(own: Harness) {
  const all = await Promise.all(Array.from({ length: VISITORS }, () => newVisitor(own, { tier: 'business' })))
  let turns = 0
  return () => all[turns++ % VISITORS] as (typeof all)[number]
}

/** The routes of the console with their budgets of network steps, and what prepares a request of an operator who is signed in. */
export function consoleSteps(own: Harness) {
  return CONSOLE_ROUTES.map(([method, path]) => `${method} ${path}`)
    .filter((route) => !NOT_COUNTED.includes(route))
    .map((route) => {
      const [method, path = ''] = route.split(' ')
      const prepare = async (operator: Operator, visitor: ConsoleVisitor, known?: Resources) => {
        const resources = known ?? (await newResources(own, operator, parametersOf(path)))
        const more = await STATES[route]?.(own, operator, resources)
        const address = pathFor(path, resources)
        if (method === 'GET') return () => visitor.get(address)
        const hidden = await forgedFields(own.dir, visitor, address)
        return () => visitor.post(address, { ...hidden, ...fieldsFor(resources), ...more })
      }
      return [route, STEPS[route] ?? BUDGET, prepare] as const
    })
}
