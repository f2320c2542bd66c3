import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { API, endpoints } from '../../src/app.ts'
import type { Access } from '../../src/credentials/authorize.ts'
import { POLICIES, type SessionPolicy } from '../../src/http/limits.ts'
import type { ApiDocument, Operation } from '../document/build.ts'
import { REFERENCE } from './guides.ts'

/** An operation of the document, with its method and paths. */
export interface Listed extends Operation {
  method: string
  /** Below /api/v1. */
  route: string
  /** The path of its page. */
  path: string
}

const declared = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]))

/** The operations of the document in the order of its tags, shorter paths first. */
export function operationsOf({ tags, paths }: ApiDocument): Map<string, Listed[]> {
  const all = Object.entries(paths).flatMap(([route, item]) =>
    Object.entries(item).map(([method, operation]): Listed => {
      const name = operation.operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      return { ...operation, method: method.toUpperCase(), route, path: `${REFERENCE}/${name}` }
    }),
  )
  return new Map(tags.map(({ name }) => [name, all.filter((one) => one.tags.includes(name))]))
}

/** Describes who may call an operation. */
export function accessOf({ operationId }: Operation): string[] {
  const access = requireAccess(operationId)
  switch (access.by) {
    case 'address':
      return ['Public. Credentials are ignored.']
    case 'session':
      return ['A session token.']
    case 'anyone':
      return ['Public. A session token or an API key is optional, but must be valid.']
    case 'key':
    case 'session-or-key': {
      const permissions = access.permissions.map((one) => `\`${one}\``).join(' or ')
      const key = `n API key with the permission ${permissions}`
      return [
        access.by === 'key' ? `A${key}.` : `A session token, or a${key}.`,
        access.platforms ? "A platform's own key may call it for agents on that platform." : '',
      ].filter((sentence) => sentence !== '')
    }
  }
}

/** Describes the rate limits of an operation. */
export function limitOf({ operationId }: Operation): string {
  const access = requireAccess(operationId)
  const perSession = (policy: SessionPolicy) => `${POLICIES[policy].limit} requests per minute and session`
  const session = perSession('session')
  const key = 'the limit of the API key'
  const open = `${POLICIES.public.limit} requests per minute and IP address`
  switch (access.by) {
    case 'address':
      return `${POLICIES[access.limit].limit} requests per minute and IP address.`
    case 'session':
      return `${perSession(access.limit)}${access.limit === 'strict' ? ', together with other calls of this class' : ''}.`
    case 'key':
      return 'The limit of the API key.'
    case 'session-or-key':
      return `${session}, or ${key}.`
    case 'anyone':
      return `${open}; with a credential, ${session} or ${key}, at least ${POLICIES.public.limit}.`
  }
}

/** The credentials, each with its variable in commands, and where the quick start sets it. */
const SESSION = { variable: '$TOKEN', name: 'a session token', path: '/docs/quickstart#sign-in' }
const KEY = { variable: '$KEY', name: 'an API key', path: '/docs/quickstart#create-an-api-key' }

/** The credential in the command of an operation; null if none is needed. */
export function credentialOf({ operationId }: Operation): typeof SESSION | null {
  const { by } = requireAccess(operationId)
  if (by === 'key') return KEY
  return by === 'session' || by === 'session-or-key' ? SESSION : null
}

/** A curl command with the examples of the operation; a credential is in a variable. */
export function curlOf(operation: Listed): string {
  const { method, route, parameters = [], requestBody } = operation
  const exampleFor = (name: string, place: string) =>
    String(parameters.find((one) => one.in === place && one.name === name)?.example ?? name)
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name) => exampleFor(name, 'path'))
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${encodeURIComponent(exampleFor(name, 'query'))}`)
  const url = `"${BASE_URL_PLACEHOLDER}${API}${path}${query.length > 0 ? `?${query.join('&')}` : ''}"`
  const credential = credentialOf(operation)
  const headers = parameters.filter((one) => one.in === 'header')
  const body = Object.values(requestBody?.content ?? {})[0]?.example
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined)
  return [
    `curl -s ${isPlain ? '' : `-X ${method} `}${url}`,
    ...(credential ? [`-H "Authorization: Bearer ${credential.variable}"`] : []),
    ...headers.map(({ name, example }) => `-H '${name}: ${example}'`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${quoted(body)}'`]),
  ].join(' \\\n  ')
}

function quoted(body: unknown): string {
  return JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)
}

function requireAccess(operationId: string): Access {
  const endpoint = declared.get(operationId)
  if (!endpoint) throw new Error(`${operationId} is in the document, but has no route`)
  return endpoint.access
}
