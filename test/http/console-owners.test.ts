import { beforeAll, describe, expect, it } from 'vitest'
import { uuidv7 } from '../../src/lib/ids.ts'
import { establish } from '../support/attested.ts'
import { forgedFields, openConsole } from '../support/console.ts'
import {
  CONSOLE_ROUTES,
  fieldsFor,
  newResources,
  parametersOf,
  pathFor,
  type Resources,
} from '../support/console-routes.ts'
import { unknownReg } from '../support/fill.ts'
import { freshEmail, shared } from '../support/harness.ts'

const h = shared()
/** Routes that do nothing for a missing resource: they do not return 404, but the same for a foreign one. */
const NOT_404 = ['POST /console/agents/:reg/domain/cancel', 'GET /console/platforms/:slug/agents/:reg/remove']

const ROUTES = CONSOLE_ROUTES.filter(([, path]) => path.includes(':'))

async function newOwner() {
  const email = freshEmail()
  const operator = await h.newOperator({ email, tier: 'pro' })
  const [visitors, resources] = await Promise.all([
    Promise.all([1, 2, 3].map(() => openConsole(h, email))), // one session has too few requests per minute
    newResources(h, operator),
  ])
  await establish(h, resources['platforms/slug'] ?? '') // agents leave others at once
  return { operator, visitors, resources }
}

/** Counts that change with every change of an operator's resources. */
const stateOf = ({ operator, resources }: Awaited<ReturnType<typeof newOwner>>) =>
  h.sql(
    `select (select count(*) from audit_log where operator_id = $1) as audited,
       (select count(*) from notifications where operator_id = $1 and read_at is not null) as read,
       (select status from incidents where id = $2) as incident,
       (select count(*) from webhook_deliveries d join platforms p on p.id = d.platform_id
        where p.slug = $3 and d.type in ('agent.updated', 'incident.resolved')) as sent,
       (select count(*) from ownership_challenges c join agents a on a.id = c.agent_id where a.reg = $4) as challenges`,
    [operator.id, resources['incidents/id'], resources['platforms/slug'], resources['agents/reg']],
  )

describe("another operator's resources, in the console", () => {
  let mine: Awaited<ReturnType<typeof newOwner>>
  let theirs: Awaited<ReturnType<typeof newOwner>>
  let missing: Resources
  let requests = 0
  beforeAll(async () => {
    ;[mine, theirs] = await Promise.all([newOwner(), newOwner()])
    missing = {
      ...Object.fromEntries(Object.keys(mine.resources).map((place) => [place, uuidv7(new Date())])),
      'agents/reg': unknownReg(),
      'platforms/slug': 'no-such-platform',
      'sessions/id': 'aaaaaaaa',
      'keys/kid': 'k'.repeat(43),
    }
  })

  /** The response to a request without ids and form values, so that two responses can be compared. */
  async function request(method: string, address: string, resources: Resources) {
    const visitor = mine.visitors[requests++ % mine.visitors.length]
    if (!visitor) throw new Error('no visitor is signed in')
    const fields = { ...(await forgedFields(h.dir, visitor, address)), ...fieldsFor(resources) }
    const response = await (method === 'GET' ? visitor.get(address) : visitor.post(address, fields))
    let text = `${response.title} ${response.location} ${response.text}`.replace(/value="[^"]*"/g, '')
    for (const one of [mine.resources, theirs.resources, missing])
      for (const [name, value] of Object.entries(one)) text = text.replaceAll(value, name)
    return { status: response.status, text }
  }

  it.each(ROUTES)('respond like missing ones, and do not change: %s %s', async (method, path) => {
    expect(parametersOf(path).filter((place) => missing[place] === undefined)).toEqual([])
    const before = await stateOf(theirs)
    const owners: [foreign: Resources[], unknown: Resources[]][] = [[[theirs.resources], [missing]]]
    if (parametersOf(path).length > 1)
      owners.push([
        [mine.resources, theirs.resources],
        [mine.resources, missing],
      ])
    if (parametersOf(path).length > 1 && path.startsWith('/console/platforms'))
      owners.push([
        [theirs.resources, mine.resources],
        [missing, mine.resources],
      ])
    for (const [foreign, unknown] of owners) {
      const named = Object.assign({}, ...foreign)
      const rejected = await request(method, pathFor(path, ...foreign), named)
      const absent = await request(method, pathFor(path, ...unknown), Object.assign({}, ...unknown))
      expect(rejected).toEqual(absent)
      if (NOT_404.includes(`${method} ${path}`)) continue
      expect(rejected).toMatchObject({
        status: 404,
        text: expect.stringContaining('does not exist in your console'),
      })
      expect(rejected.text.includes('Nothing was changed.')).toBe(method === 'POST')
      expect(rejected.text).toContain(`href="/console/${path.split('/')[2]}">Continue in the console</a>`)
    }
    expect(await stateOf(theirs)).toEqual(before)
  })

  it('are accepted from their own operator, so the requests above are valid', async () => {
    for (const [method, path] of ROUTES) {
      const { status, text } = await request(method, pathFor(path, mine.resources), mine.resources)
      expect([403, 404, 500], `${method} ${path}: ${text.slice(0, 200)}`).not.toContain(status)
    }
  })
})
