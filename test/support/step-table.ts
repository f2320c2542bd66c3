import type { Route } from './document.ts'

/** Network steps of each route on a warm stack, one after the other, of a caller that is not near its limit. */
export const STEPS: Record<string, number> = {
  'GET /auth/sign-in': 1,
  'GET /auth/callback': 2,
  'GET /auth/sessions': 2,
  'DELETE /auth/sessions': 2,
  'DELETE /auth/sessions/{id}': 2,
  'DELETE /auth/session': 2,
  'GET /operators/me': 2,
  'PATCH /operators/me': 2,
  'GET /operators/{id}': 1,
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
  'GET /agents/search': 1,
  'GET /agents/{reg}': 1,
  'PATCH /agents/{reg}': 2,
  'GET /agents/{reg}/trust-score': 1,
  'GET /agents/{reg}/trust-score/history': 1,
  'GET /agents/{reg}/trust-score/inputs': 1,
  'GET /agents/{reg}/activity': 2, // with a credential; 1 without
  'GET /agents/{reg}/log-entries': 2, // with a credential; 1 without
  'GET /agents/{reg}/incidents': 1,
  'POST /agents/{reg}/ownership/challenge': 2,
  'POST /agents/{reg}/ownership/verify': 3, // the second one is the check of the domain
  'POST /activity/report': 2,
  'POST /activity/report/batch': 2,
  'POST /incidents/{id}/resolve': 2,
  'GET /verify/{reg}': 1,
  'GET /verify/{reg}/token': 1,
  'GET /verify/{reg}/full': 2,
  'POST /platforms': 2,
  'GET /platforms': 2,
  'GET /platforms/{slug}': 2, // with a credential; 1 without
  'PATCH /platforms/{slug}': 2,
  'DELETE /platforms/{slug}': 2,
  'GET /platforms/{slug}/agents': 2,
  'POST /platforms/{slug}/agents/{reg}/confirm': 2,
  'DELETE /platforms/{slug}/agents/{reg}': 2,
  'POST /platforms/{slug}/webhook-secret': 2,
  'POST /platforms/{slug}/webhook-test': 2,
  'GET /platforms/{slug}/deliveries': 2,
  'GET /platforms/{slug}/deliveries/{id}': 2,
  'POST /platforms/{slug}/deliveries/{id}/redeliver': 2,
  'POST /platforms/{slug}/deliveries/{id}/retry-now': 2,
  'POST /platforms/{slug}/deliveries/recover': 2,
  'POST /platforms/{slug}/api-keys': 2,
  'GET /platforms/{slug}/api-keys': 2,
  'PATCH /platforms/{slug}/api-keys/{key_id}': 2,
  'DELETE /platforms/{slug}/api-keys/{key_id}': 2,
  'GET /event-types': 0, // a file
}

/** Notes next to the numbers. */
const NOTES: Record<string, string> = {
  'GET /auth/sign-in': '1, cold 2',
  'GET /auth/callback': '2, cold 4',
  'POST /operators/me/kyc/start': '3, at most 4',
  'GET /agents/{reg}/activity': '1, with a credential 2',
  'GET /platforms/{slug}': '1, with a credential 2',
  'POST /agents/{reg}/ownership/verify': '3, without a pending challenge 1',
}

/** The table of endpoints in docs/api.md: every route of the document with who may call it and its network steps. */
export function endpointTable(routes: readonly Route[]): string {
  const rows = routes.map((route) =>
    row([
      route.method,
      route.path,
      callersOf(route),
      NOTES[route.name] ?? String(STEPS[route.name]),
      route.summary,
    ]),
  )
  return [row(['method', 'path', 'auth', 'steps', 'what']), '|---|---|---|---|---|', ...rows].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function callersOf({ security }: Route): string {
  const permissions = security.flatMap((scheme) => scheme.key ?? [])
  const names = new Set(security.map((scheme) => Object.keys(scheme)[0] ?? 'public'))
  if (names.size === 0) return 'public'
  const key = permissions.length > 0 ? `key (${permissions.join(' or ')})` : 'key'
  return [...names].map((name) => (name === 'key' ? key : name)).join(', ')
}
