import { ASSETS, assetJson } from '../../api/assets.ts'
import { endpoint, router } from '../../api/endpoint.ts'
import { noParameters } from '../../wire/page.ts'
import { responses } from './responses.ts'

export const eventTypeRoutes = router().openapi(
  endpoint({
    ...responses.listEventTypes,
    method: 'get',
    path: '/event-types',
    access: { by: 'anyone' },
    request: { query: noParameters },
  }),
  (c) => assetJson(c, ASSETS.eventTypes),
)
