import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { activityRoutes } from './activity/routes.ts'
import { jwkSetRoutes } from './agent-keys/jwk-set-routes.ts'
import { agentKeyRoutes } from './agent-keys/routes.ts'
import { agentRoutes } from './agents/routes.ts'
import { ASSETS, assetJson, assetText } from './api/assets.ts'
import { declared, router } from './api/endpoint.ts'
import { internal } from './api/internal.ts'
import { apartFrom } from './api/methods.ts'
import { noRoute } from './api/no-route.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { sessionRoutes } from './auth/session-routes.ts'
import { consoleParts } from './console/index.ts'
import { authorize } from './credentials/authorize.ts'
import { errorResponse } from './errors.ts'
import { DOCTOR_PATH, doctorRoutes } from './health/doctor-routes.ts'
import { healthRoutes } from './health/routes.ts'
import { caching } from './http/caching.ts'
import type { App } from './http/context.ts'
import { preflight, publicCors } from './http/cors.ts'
import { rateLimit } from './http/ratelimit.ts'
import { readOnly } from './http/read-only.ts'
import { rejectionOf } from './http/rejection.ts'
import { requestLog } from './http/request-log.ts'
import { requestScope } from './http/request-scope.ts'
import { secureHeaders } from './http/secure-headers.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { platformKeyRoutes } from './keys/platform-routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { kycRoutes } from './kyc/routes.ts'
import { kycWebhookRoutes } from './kyc/webhook-routes.ts'
import { mailFeedbackRoutes } from './mail/feedback-routes.ts'
import { mailRelayRoutes } from './mail/relay-routes.ts'
import { memberRoutes } from './members/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { operatorRoutes } from './operators/routes.ts'
import { ownershipRoutes } from './ownership/routes.ts'
import { errorPages } from './pages/errors.ts'
import { pageParts } from './pages/index.ts'
import { browserSignIn } from './pages/sign-in.ts'
import { statusPages } from './pages/status.ts'
import { platformRoutes } from './platforms/routes.ts'
import { logEntryRoutes } from './tlog/entries-routes.ts'
import { logRoutes } from './tlog/routes.ts'
import { trustRoutes } from './trust/routes.ts'
import { jwksRoutes } from './verify/jwks-routes.ts'
import { verifyRoutes } from './verify/routes.ts'
import { webhookRoutes } from './webhooks/manage/routes.ts'
import { relayRoutes } from './webhooks/relay/routes.ts'

/** The path under which all routes of the API are served. */
export const API = '/api/v1'

const features = [
  authRoutes,
  sessionRoutes,
  operatorRoutes,
  keyRoutes,
  kycRoutes,
  notificationRoutes,
  auditRoutes,
  agentRoutes,
  agentKeyRoutes,
  trustRoutes,
  verifyRoutes,
  logEntryRoutes,
  activityRoutes,
  incidentRoutes,
  ownershipRoutes,
  platformRoutes,
  memberRoutes,
  platformKeyRoutes,
  webhookRoutes,
]

/** All routes of the API. */
export const api = router()
for (const feature of features) api.route('/', feature)

/** Their declarations. */
export const endpoints = api.openAPIRegistry.definitions.flatMap(
  (one) => (one.type === 'route' && declared.get(one.route.operationId ?? '')) || [],
)

// Hono's other routers cannot tell /operators/me/… from /operators/{id}.
export const app = new Hono<App>({ router: new TrieRouter() })

app.use(secureHeaders(), requestLog(), requestScope(), errorPages())
app.route('/', healthRoutes)
app.route('/', statusPages)
app.use('/internal/*', readOnly(DOCTOR_PATH))
app.route(
  '/internal',
  internal(relayRoutes, mailRelayRoutes, mailFeedbackRoutes, jobRoutes, doctorRoutes, kycWebhookRoutes),
)

app.use(rateLimit(), readOnly())
app.options('*', preflight())
app.route('/', jwksRoutes)
app.route('/', jwkSetRoutes)
app.use(`${API}/auth/callback`, browserSignIn()) // the only path of the API that has pages
const paths = api.routes.map(({ path }) => path)
for (const { method, path, handler } of api.routes) app.on(method, API + apartFrom(paths, path), handler)
app.route('/log', logRoutes)
for (const pages of pageParts) app.route('/', pages)
for (const { routes } of consoleParts) app.route('/', routes)
app.get(`${API}/openapi.json`, publicCors(), caching('public'), authorize({ by: 'anyone' }), (c) =>
  assetJson(c, ASSETS.openapi),
)
app.get('/llms.txt', caching('public'), authorize({ by: 'address', limit: 'public' }), (c) =>
  assetText(c, ASSETS.llms),
)
app.get('/sitemap.xml', caching('public'), authorize({ by: 'address', limit: 'public' }), (c) =>
  assetText(c, ASSETS.sitemap, 'application/xml'),
)

app.notFound((c) => errorResponse(noRoute(app, c, API), c.get('env').BASE_URL))

app.onError(rejectionOf)
