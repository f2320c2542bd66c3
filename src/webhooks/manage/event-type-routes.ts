import { ASSETS, assetJson } from '../../api/assets.ts'
import { router } from '../../api/endpoint.ts'
import type { answers } from './answers.ts'

export const eventTypeRoutes = router<typeof answers>().endpoint(
  {
    operationId: 'listEventTypes',
    method: 'get',
    path: '/event-types',
    access: { by: 'anyone', limit: 'public' },
  },
  (c) => assetJson(c, ASSETS.eventTypes),
)
