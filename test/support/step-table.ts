import type { Route } from './document.ts'

/**
 * Network steps of each route on a warm stack, one after the other, of a caller with a credential that is not near its limit.
 * Public reads take one step less without a credential.
 */
export const STEPS: Record<string, number> = {
  'GET /auth/sign-in': 1,
  'GET /auth/callback': 2,
  'GET /auth/sessions': 2,
  'DELETE /auth/sessions': 2,
  'DELETE /auth/sessions/{id}': 2,
  'DELETE /auth/session': 2,
  'GET /operators/me': 2,
  'PATCH /operators/me': 2,
  'GET /operators/{id}': 2,
  'GET /operators/{id}/log-entries': 2,
  'GET /platforms/{slug}/log-entries': 2,
  'GET /operators/me/agents': 2,
  'GET /operators/me/dashboard': 2,
  'GET /operators/me/api-keys': 2,
  'POST /operators/me/api-keys': 2,
  'PATCH /operators/me/api-keys/{key_id}': 2,
  'DELETE /operators/me/api-keys/{key_id}': 2,
  'GET /operators/me/notifications': 2,
  'POST /operators/me/notifications/read-all': 2,
  'POST /operators/me/notifications/{id}/read': 2,
  'POST /operators/me/mail/resume': 2,
  'GET /operators/me/audit-log': 2,
  'GET /operators/me/kyc': 2,
  'POST /operators/me/kyc/start': 3, // 2 for an open check; 4 if the provider has ended it
  'POST /agents': 2,
  'GET /agents/search': 2,
  'GET /agents/{reg}': 2,
  'PATCH /agents/{reg}': 2,
  'GET /agents/{reg}/trust-score': 2,
  'GET /agents/{reg}/trust-score/history': 2,
  'GET /agents/{reg}/trust-score/inputs': 2,
  'GET /agents/{reg}/activity': 2,
  'GET /agents/{reg}/log-entries': 2,
  'GET /agents/{reg}/incidents': 2,
  'POST /agents/{reg}/ownership/challenge': 2,
  'POST /agents/{reg}/ownership/verify': 4, // the third one is the check of the domain
  'POST /agents/{reg}/keys': 2, // 3 for a key that is known
  'GET /agents/{reg}/keys': 2,
  'DELETE /agents/{reg}/keys/{kid}': 2, // 3 for a key that is revoked
  'GET /agent-keys/{kid}': 1, // limited by address alone
  'GET /agent-keys/{kid}/token': 1,
  'POST /activity/report': 2,
  'POST /activity/report/batch': 2,
  'POST /incidents/{id}/resolve': 2,
  'GET /verify/{reg}': 2,
  'GET /verify/{reg}/token': 2,
  'GET /verify/{reg}/full': 2,
  'POST /platforms': 2,
  'GET /platforms': 2,
  'GET /platforms/{slug}': 2,
  'PATCH /platforms/{slug}': 2,
  'DELETE /platforms/{slug}': 2,
  'GET /platforms/{slug}/agents': 2,
  'POST /platforms/{slug}/agents/{reg}/confirm': 2,
  'DELETE /platforms/{slug}/agents/{reg}': 2,
  'POST /platforms/{slug}/webhook-secret': 2,
  'POST /platforms/{slug}/webhook-test': 3,
  'GET /platforms/{slug}/deliveries': 2,
  'GET /platforms/{slug}/deliveries/{id}': 2,
  'POST /platforms/{slug}/deliveries/{id}/redeliver': 3,
  'POST /platforms/{slug}/deliveries/{id}/retry-now': 3,
  'POST /platforms/{slug}/deliveries/recover': 2, // 3 if there is something to recover
  'POST /platforms/{slug}/api-keys': 2,
  'GET /platforms/{slug}/api-keys': 2,
  'PATCH /platforms/{slug}/api-keys/{key_id}': 2,
  'DELETE /platforms/{slug}/api-keys/{key_id}': 2,
  'GET /event-types': 1, // a file
}

/** Whether a route is public and uses a credential if one is sent. */
export const isPublicRead = ({ security }: Pick<Route, 'security'>) =>
  security.some((scheme) => Object.keys(scheme).length === 0)
