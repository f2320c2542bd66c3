import type { Route } from './document.ts'

/** One step reads the credential and counts the request, the other is that of the route. */
const USUAL = 2

/** The routes that take more or fewer steps. */
const OTHERS: Record<string, number> = {
  'GET /auth/sign-in': 1,
  'GET /operators/me': 1, // read with the credential
  'POST /operators/me/kyc/start': 3, // 2 for an open check; 4 if the provider has ended it
  'POST /agents/{reg}/ownership/verify': 4, // the third one is the check of the domain
  'GET /agent-keys/{kid}': 1, // limited by address alone
  'GET /agent-keys/{kid}/token': 1,
  'POST /platforms/{slug}/webhook-test': 3,
  'POST /platforms/{slug}/deliveries/{id}/redeliver': 3,
  'POST /platforms/{slug}/deliveries/{id}/retry-now': 3,
  'GET /event-types': 1, // a file
}

/**
 * Network steps of a route on a warm stack, one after the other, of a caller with a credential that is not near its limit.
 * Public reads take one step less without a credential.
 */
export const stepsOf = ({ name }: Pick<Route, 'name'>): number => OTHERS[name] ?? USUAL

/** Whether a route is public and uses a credential if one is sent. */
export const isPublicRead = ({ security }: Pick<Route, 'security'>) =>
  security.some((scheme) => Object.keys(scheme).length === 0)
