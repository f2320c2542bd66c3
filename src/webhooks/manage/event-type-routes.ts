import { ASSETS, assetJson } from '../../api/assets.ts'
import { router } from '../../api/endpoint.ts'
import { noParameters } from '../../wire/page.ts'
import type { responses } from './responses.ts'

export const eventTypeRoutes = router<typeof responses>().endpoint(
  {
    operationId: 'listEventTypes',
    method: 'get',
    path: '/event-types',
    access: { by: 'anyone' },
    request: { query: noParameters },
  },
  (c) => assetJson(c, ASSETS.eventTypes),
)
