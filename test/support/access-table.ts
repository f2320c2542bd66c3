/** The callers; unless the name says otherwise, the request names a resource of the caller. */
export const CALLERS = [
  'nobody',
  'session',
  "session, other's",
  'session, missing',
  'read key',
  'write key',
  'report key',
  "key, other's",
  'key, missing',
  'platform key',
  "platform key, other's",
  'suspended',
] as const
export type Caller = (typeof CALLERS)[number]

/**
 * The status for each caller, in the order of CALLERS. Bars separate: no credential, sessions, keys of operators, keys
 * of platforms, suspended operators. `207:403` is a batch with this status of its event; `-`: the route names nothing.
 */
const TABLE = `
  POST /activity/report                            401 | 401 401 401 | 403 201 201 403 404 | 201 403 | 403
  POST /activity/report/batch                      401 | 401 401 401 | 403 201 201 207:403 207:404 | 201 207:403 | 403
  POST /agents                                     401 | 201   -   - | 401 401 401   -   - | 401   - | 403
  GET /agents/search                               200 | 200   -   - | 200 200 200   -   - | 200   - | 200
  GET /agents/{reg}                                200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  PATCH /agents/{reg}                              401 | 200 403 404 | 401 401 401 401 401 | 401 401 | 403
  GET /agents/{reg}/activity                       200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /agents/{reg}/log-entries                    200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /agents/{reg}/incidents                      200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  POST /agents/{reg}/ownership/challenge           401 | 201 403 404 | 401 401 401 401 401 | 401 401 | 403
  POST /agents/{reg}/ownership/verify              401 | 200 403 404 | 401 401 401 401 401 | 401 401 | 403
  POST /agents/{reg}/keys                          401 | 201 403 404 | 401 401 401 401 401 | 401 401 | 403
  GET /agents/{reg}/keys                           200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  DELETE /agents/{reg}/keys/{kid}                  401 | 200 403 404 | 401 401 401 401 401 | 401 401 | 403
  GET /agent-keys/{kid}                            200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /agent-keys/{kid}/token                      200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /agents/{reg}/trust-score                    200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /agents/{reg}/trust-score/history            200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /agents/{reg}/trust-score/inputs             200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /auth/callback                               400 | 400   -   - | 400 400 400   -   - | 400   - | 400
  DELETE /auth/session                             401 | 204   -   - | 401 401 401   -   - | 401   - | 403
  GET /auth/sessions                               401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  DELETE /auth/sessions                            401 | 204   -   - | 401 401 401   -   - | 401   - | 403
  DELETE /auth/sessions/{id}                       401 | 204 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /auth/sign-in                                302 | 302   -   - | 302 302 302   -   - | 302   - | 302
  GET /event-types                                 200 | 200   -   - | 200 200 200   -   - | 200   - | 200
  POST /incidents/{id}/resolve                     401 | 200 403 404 | 403 200 403 403 404 | 403 403 | 403
  GET /operators/me                                401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  GET /operators/{id}                              200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /operators/{id}/log-entries                  200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /platforms/{slug}/log-entries                200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  PATCH /operators/me                              401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  GET /operators/me/agents                         401 | 200   -   - | 200 403 403   -   - | 403   - | 403
  GET /operators/me/api-keys                       401 | 200   -   - | 200 403 403   -   - | 403   - | 403
  POST /operators/me/api-keys                      401 | 201   -   - | 401 401 401   -   - | 401   - | 403
  PATCH /operators/me/api-keys/{key_id}            401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  DELETE /operators/me/api-keys/{key_id}           401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /operators/me/audit-log                      401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  GET /operators/me/dashboard                      401 | 200   -   - | 200 403 403   -   - | 403   - | 403
  GET /operators/me/kyc                            401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  POST /operators/me/kyc/start                     401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  GET /operators/me/notifications                  401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  POST /operators/me/mail/resume                   401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  POST /operators/me/notifications/read-all        401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  POST /operators/me/notifications/{id}/read       401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /platforms                                   401 | 200   -   - | 401 401 401   -   - | 401   - | 403
  POST /platforms                                  401 | 201   -   - | 401 401 401   -   - | 401   - | 403
  GET /platforms/{slug}                            200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  PATCH /platforms/{slug}                          401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  DELETE /platforms/{slug}                         401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /platforms/{slug}/agents                     401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  DELETE /platforms/{slug}/agents/{reg}            401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/agents/{reg}/confirm      401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /platforms/{slug}/api-keys                   401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/api-keys                  401 | 201 404 404 | 401 401 401 401 401 | 401 401 | 403
  PATCH /platforms/{slug}/api-keys/{key_id}        401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  DELETE /platforms/{slug}/api-keys/{key_id}       401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /platforms/{slug}/deliveries                 401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/deliveries/recover        401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /platforms/{slug}/deliveries/{id}            401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/deliveries/{id}/redeliver 401 | 202 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/deliveries/{id}/retry-now 401 | 202 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/webhook-secret            401 | 200 404 404 | 401 401 401 401 401 | 401 401 | 403
  POST /platforms/{slug}/webhook-test              401 | 202 404 404 | 401 401 401 401 401 | 401 401 | 403
  GET /verify/{reg}                                200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /verify/{reg}/token                          200 | 200 200 404 | 200 200 200 200 404 | 200 200 | 200
  GET /verify/{reg}/full                           401 | 401 401 401 | 200 403 403 200 404 | 200 200 | 403
`

const rows = new Map(
  TABLE.trim()
    .split('\n')
    .map((line): [string, string[]] => {
      const [method = '', path = '', ...cells] = line.replaceAll('|', ' ').trim().split(/ +/)
      return [`${method} ${path}`, cells]
    }),
)

/** The routes of the table. */
export const knownRoutes = (): string[] => [...rows.keys()]

/** The expected status for a caller of a route; null if there is no such case. */
export function expectedStatus(route: string, caller: Caller): string | null {
  const cells = rows.get(route)
  if (cells?.length !== CALLERS.length) throw new Error(`${route}: add who may call it to access-table.ts`)
  const cell = cells[CALLERS.indexOf(caller)] ?? '-'
  return cell === '-' ? null : cell
}
