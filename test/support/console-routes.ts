import { app } from '../../src/app.ts'
import { newAgentKey } from './agent-keys.ts'
import { freshSlug, type Harness, type Operator } from './harness.ts'
import { NOBODY_LISTENS } from './members.ts'
import { deliveryOf, incidentOf, notificationOf } from './rightful.ts'

/** The routes of the console, as pairs of a method and a path. */
export const CONSOLE_ROUTES = [
  ...new Set(
    app.routes
      .filter(({ path, method }) => /^\/console(\/|$)/.test(path) && !path.includes('*') && method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`),
  ),
].map((route) => route.split(' ') as [method: string, path: string])

/** The resources of an operator that console paths name, by path segment and parameter. */
export type Resources = Record<string, string>

/** The parameters of a path, each with the segment before it, because several kinds of ids share a name. */
export const parametersOf = (path: string) =>
  [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, before, name]) =>
    path.startsWith('/console/platforms') && before === 'keys' ? 'platform keys/key_id' : `${before}/${name}`,
  )

/** A path with the ids of resources; each further parameter is filled in from the next resources, if there are more. */
export const pathFor = (path: string, ...resources: Resources[]) =>
  parametersOf(path).reduce(
    (address, place, n) =>
      address.replace(/:\w+/, resources[Math.min(n, resources.length - 1)]?.[place] ?? place),
    path,
  )

/** Fields that make each form valid if the resource were the sender's. */
export function fieldsFor(resources: Resources): Record<string, string> {
  return {
    name: 'Mine now',
    expected: 'Mine now',
    number: resources['agents/reg'] ?? '',
    slug: resources['platforms/slug'] ?? freshSlug(),
    platform_slug: '',
    class: 'A',
    token_name: 'a program',
    domain: 'agents.example.com',
    method: 'dns',
    permissions: 'activity:report',
    rate_limit_per_minute: '5',
    since: new Date(Date.now() - 3_600_000).toISOString(),
    type: 'agent.updated',
    admission: 'open',
    events: 'all',
    webhook_url: NOBODY_LISTENS,
    [`resolution-${resources['incidents/id']}`]: 'done',
  }
}

type Make = (h: Harness, operator: Operator, made: Resources) => Promise<string>

/** What creates each resource; those of an agent or a platform follow it. */
const MAKE: Record<string, Make> = {
  'platforms/slug': async (h, operator) =>
    (await h.newPlatform(operator, { webhook_url: NOBODY_LISTENS })).slug,
  'agents/reg': async (h, operator, { 'platforms/slug': platform_slug }) =>
    (await h.newAgent(operator, platform_slug ? { platform_slug } : {})).reg,
  'keys/key_id': async (h, operator) => (await h.newKey(operator)).id,
  'keys/kid': async (h, operator, { 'agents/reg': reg = '' }) => (await newAgentKey(h, operator, reg)).kid,
  'platform keys/key_id': async (h, operator, { 'platforms/slug': slug = '' }) =>
    (await h.newPlatformKey(operator, slug)).id,
  'deliveries/id': (h, _, { 'platforms/slug': slug = '' }) => deliveryOf(h, slug, 'failed'),
  'incidents/id': (h, operator, { 'agents/reg': reg = '' }) => incidentOf(h, operator, reg),
  'notifications/id': notificationOf,
  'sessions/id': async (h, { email }) => (await h.newOperator({ email })).token.slice(9, 17),
}

/** Creates resources of an operator; all kinds by default. */
export async function newResources(
  h: Harness,
  operator: Operator,
  places: readonly string[] = Object.keys(MAKE),
): Promise<Resources> {
  const made: Resources = {}
  for (const place of places) made[place] = (await MAKE[place]?.(h, operator, made)) ?? ''
  return made
}
