import type { Schema } from './examples.ts'

/** Descriptions of a request body. They are not in its schema, which is part of the Worker. */
interface BodyText {
  description?: string
  fields?: Readonly<Record<string, string>>
}

const SHOWN_NAME = 'Display name'
const PERMISSIONS = 'Permissions of the key; `read` by default'

const REQUEST_TEXTS: Readonly<Record<string, BodyText>> = {
  ActivityInput: {
    description: 'Activity event to report',
    fields: { reg: 'Agent number', severity: 'Severity of the event; `info` by default' },
  },
  AgentChanges: {
    fields: {
      name: SHOWN_NAME,
      description: 'What the agent does',
      status: 'Set to `deactivated` to deactivate the agent permanently',
    },
  },
  AgentInput: {
    description: 'Agent to register',
    fields: { name: SHOWN_NAME, description: 'What the agent does' },
  },
  ApiKeyChanges: { fields: { name: 'Name of the key' } },
  ApiKeyInput: {
    description: 'API key to create',
    fields: { name: 'Name of the key', permissions: PERMISSIONS },
  },
  BatchInput: {
    description: 'Batch of activity events',
    fields: { events: 'Events; each is validated separately' },
  },
  ChallengeInput: { description: 'Domain to verify, and the method' },
  OperatorChanges: {
    fields: {
      name: SHOWN_NAME,
      company_name: 'Not shown to anyone else',
      company_url: 'Not shown to anyone else',
      avatar_url: 'URL of a picture; the registry never fetches it',
      'notification_prefs.trust_alerts': 'Whether to notify when a trust score falls',
      'notification_prefs.incident_alerts': 'Whether to notify about incidents',
      'notification_prefs.weekly_digest': 'Whether to send the weekly digest',
      'notification_prefs.kyc_reminders': 'Whether to send reminders before the verification expires',
    },
  },
  PlatformApiKeyInput: {
    description: 'API key to create for a platform',
    fields: { name: 'Name of the key', permissions: PERMISSIONS },
  },
  PlatformChanges: { fields: { name: SHOWN_NAME } },
  PlatformInput: { description: 'Platform to register', fields: { name: SHOWN_NAME } },
  RecoverInput: { description: 'Events to deliver again' },
  ResolutionInput: {
    description: 'Resolution of an incident',
    fields: { resolution: 'How the incident was resolved; public' },
  },
  WebhookTestInput: { description: 'Test event to send', fields: { type: 'Event type of the test event' } },
}

/**
 * Adds `REQUEST_TEXTS` to the named schemas.
 *
 * @throws Error when a schema or field does not exist, or already has a description
 */
export function describeRequests(schemas: Record<string, Schema>): void {
  for (const [name, { description, fields = {} }] of Object.entries(REQUEST_TEXTS)) {
    if (description) describe(schemas[name], description, name)
    for (const [path, text] of Object.entries(fields))
      describe(fieldOf(schemas[name], path), text, `${name}.${path}`)
  }
}

function fieldOf(schema: Schema | undefined, path: string): Schema | undefined {
  return path.split('.').reduce((part, name) => part?.properties?.[name], schema)
}

function describe(schema: Schema | undefined, description: string, name: string): void {
  if (!schema || schema.description)
    throw new Error(`${name}: ${schema ? 'already has a description' : 'does not exist'}`)
  schema.description = description
}
