import { describe, expect, it } from 'vitest'
import { accessCast, namesSomething, statusOf } from '../support/access-cast.ts'
import { accessTable, CALLERS, type Caller, expectedStatus, knownRoutes } from '../support/access-table.ts'
import { syncTable } from '../support/docs-table.ts'
import { type Answer, shared } from '../support/harness.ts'

const h = shared()
const document = await h.openApi()
const cast = await accessCast(h, document)

/** What an answer says, without the names of things. */
const nameless = (answer: Answer | undefined) =>
  answer?.text.replace(/p-[0-9a-f-]{36}|[0-9a-f]{8}-[0-9a-f-]{27}|REG-[\w-]+|\b[0-9A-Za-z]{8}\b/g, '…')

const isOfAnother = (caller: Caller) => caller.includes("other's") || caller.endsWith('missing')

describe.each(document.routes)('$name', { concurrent: true }, (route) => {
  it('answers every caller as the table of access says [3d 4.1g 4.1h 4.2h 4.2l 4.3c 4.4a 4.4f 4.4h 4.4j 4.5b 5d 5f 5h 5k 7g 7h agent-6 incident-4 incident-5 ownership-7]', async () => {
    const call = await cast.callsOf(route, document.routes.indexOf(route))
    const expected = CALLERS.flatMap((caller) => {
      const status = expectedStatus(route.name, caller)
      return status === null ? [] : [[caller, status] as const]
    })
    const named = expected.map(([caller]) => caller)
    expect(named).toEqual(CALLERS.filter((caller) => namesSomething(route) || !isOfAnother(caller)))
    const answered = new Map<Caller, Answer>()
    // The operator itself comes last: it may end what all of them name.
    for (const caller of [...named.filter((one) => one !== 'session'), 'session'] as const) {
      answered.set(caller, await call(caller))
    }
    const statuses = [...answered].map(([caller, answer]) => [caller, statusOf(answer)])
    expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(expected))
    const [others, missing] = [answered.get("session, other's"), answered.get('session, missing')]
    if (others?.status === 404 && route.path.match(/\{/g)?.length === 1) {
      expect(nameless(others)).toBe(nameless(missing)) // a 404 does not tell whether there is such a thing
    }
  })
})

it('knows every route of the document, and no other', () => {
  expect(knownRoutes().sort()).toEqual(document.routes.map(({ name }) => name).sort())
})

it('stands in docs/api.md; UPDATE_DOCS=true writes it there', () => {
  const { asIs, wanted } = syncTable('api.md', 'access', accessTable(document.routes))
  expect(asIs).toBe(wanted)
})
