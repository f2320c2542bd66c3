import { describe, expect, it } from 'vitest'
import { accessCast, namesSomething, statusOf } from '../support/access-cast.ts'
import { CALLERS, type Caller, expectedStatus, knownRoutes } from '../support/access-table.ts'
import type { Route } from '../support/document.ts'
import { type ApiResponse, expectError, shared } from '../support/harness.ts'
import { accessOf } from '../support/rightful.ts'

const h = shared()
const document = await h.openApi()
const cast = await accessCast(h, document)

/** The text of a response with its ids replaced. */
const withoutIds = (response: ApiResponse | undefined) =>
  response?.text.replace(/p-[0-9a-f-]{36}|[0-9a-f]{8}-[0-9a-f-]{27}|REG-[\w-]+|\b[0-9A-Za-z]{8}\b/g, '…')

const CODES: Record<number, string> = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
}
const PERMISSION: Partial<Record<Caller, string>> = {
  'read key': 'read',
  'write key': 'write',
  'report key': 'activity:report',
}

/** What the message of a rejection must name. */
function expectedMessage(route: Route, caller: Caller, status: number): RegExp {
  const { permissions } = accessOf(route)
  if (status === 403 && caller === 'suspended') return /suspended/
  if (status === 403 && PERMISSION[caller] && !permissions.has(PERMISSION[caller])) {
    return new RegExp([...permissions].join(' or '))
  }
  if (status !== 401) return /./
  if (caller === 'nobody') return /Authorization/
  return caller.includes('key') ? /session token/ : /API key/
}

const isOfAnother = (caller: Caller) => caller.includes("other's") || caller.endsWith('missing')

describe.each(document.routes)('$name', { concurrent: true }, (route) => {
  it('gives every caller the status that the access table states', async () => {
    const call = await cast.callsOf(route, document.routes.indexOf(route))
    const expected = CALLERS.flatMap((caller) => {
      const status = expectedStatus(route.name, caller)
      return status === null ? [] : [[caller, status] as const]
    })
    const callers = expected.map(([caller]) => caller)
    expect(callers).toEqual(CALLERS.filter((caller) => namesSomething(route) || !isOfAnother(caller)))
    const responses = new Map<Caller, ApiResponse>()
    // The operator's own call comes last: it may end the resource that all calls name.
    for (const caller of [...callers.filter((one) => one !== 'session'), 'session'] as const) {
      responses.set(caller, await call(caller))
    }
    const statuses = [...responses].map(([caller, response]) => [caller, statusOf(response)])
    expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(expected))
    for (const [caller, response] of responses) {
      const code = CODES[response.status]
      if (code) expectError(response, response.status, code, expectedMessage(route, caller, response.status))
    }
    const [others, missing] = [responses.get("session, other's"), responses.get('session, missing')]
    if (others?.status === 404 && route.path.match(/\{/g)?.length === 1) {
      expect(withoutIds(others)).toBe(withoutIds(missing)) // a 404 does not reveal whether the resource exists
    }
  })
})

it('the access table lists exactly the routes of the OpenAPI document', () => {
  expect(knownRoutes().sort()).toEqual(document.routes.map(({ name }) => name).sort())
})
