import { endpoint, json, router } from '../../api/endpoint.ts'
import { publicJson } from '../../http/caching.ts'
import { describeEventTypes } from './event-types.ts'
import { eventTypeList } from './schema.ts'

const getEventTypes = endpoint({
  method: 'get',
  path: '/event-types',
  operationId: 'listEventTypes',
  tag: 'Webhooks',
  access: { by: 'anyone', limit: 'public' },
  summary:
    'The types of events that platforms receive, each with the JSON Schema of its envelope and an example',
  description:
    'Schemas are JSON Schema, draft 2020-12, of the whole body of a webhook. They are open: a field may be added, so receivers ignore what they do not know.',
  request: {},
  responses: { 200: json(eventTypeList, 'All event types') },
  errors: [],
})

export const eventTypeRoutes = router().openapi(getEventTypes, (c) =>
  publicJson(c, { data: describeEventTypes() }),
)
