import { beforeAll, describe, expect, it } from 'vitest'
import { app } from '../../src/app.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { type ConsoleVisitor, forgedFields, openConsole } from '../support/console.ts'
import { fillDeliveries } from '../support/deliveries.ts'
import { unknownReg } from '../support/fill.ts'
import { freshEmail, type Operator, shared } from '../support/harness.ts'
import { NOBODY_LISTENS } from '../support/members.ts'

const h = shared()
const unknownId = () => uuidv7(new Date())
/** Where there is no difference to be seen, and no 404 either: they do nothing for a thing that is not there. */
const NOT_404 = ['POST /console/agents/:reg/domain/cancel', 'GET /console/platforms/:slug/agents/:reg/remove']

/** What somebody has that the addresses of the console name, by the name of the parameter and what stands before it. */
type Things = Record<string, string>

const ROUTES = app.routes
  .filter(({ path, method }) => path.startsWith('/console/') && path.includes(':') && method !== 'ALL')
  .map(({ method, path }) => `${method} ${path}`)
const NAMED = [...new Set(ROUTES)].map((route) => route.split(' ') as [method: string, path: string])

/** A parameter with what stands before it: ids of several kinds bear one name. */
const placesOf = (path: string) =>
  [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, before, name]) =>
    path.startsWith('/console/platforms') && before === 'keys' ? 'platform keys/key_id' : `${before}/${name}`,
  )

const addressOf = (path: string, ...things: Things[]) =>
  placesOf(path).reduce(
    (address, place, n) => address.replace(/:\w+/, things[Math.min(n, things.length - 1)]?.[place] ?? place),
    path,
  )

/** Fields that each form takes, if the thing were the sender's. */
function fieldsFor(things: Things): Record<string, string> {
  return {
    name: 'Mine now',
    expected: 'Mine now',
    number: things['agents/reg'] ?? '',
    slug: things['platforms/slug'] ?? '',
    platform_slug: '',
    domain: 'agents.example.com',
    method: 'dns',
    permissions: 'activity:report',
    rate_limit_per_minute: '5',
    since: new Date(Date.now() - 3_600_000).toISOString(),
    type: 'agent.updated',
    admission: 'open',
    events: 'all',
    webhook_url: NOBODY_LISTENS,
    [`resolution-${things['incidents/id']}`]: 'done',
  }
}

async function newOwner(): Promise<{ operator: Operator; visitors: ConsoleVisitor[]; things: Things }> {
  const email = freshEmail()
  const operator = await h.newOperator({ email, tier: 'pro' })
  const [visitors, platform, { id: keyId, key }, other] = [
    await Promise.all([1, 2, 3].map(() => openConsole(h, email))), // a session alone has too few requests a minute
    await h.newPlatform(operator, { webhook_url: NOBODY_LISTENS }),
    await h.newKey(operator),
    await h.newOperator({ email }),
  ]
  const platformKey = await h.api('POST', `/platforms/${platform.slug}/api-keys`, {
    token: operator.token,
    body: { name: 'k', permissions: ['activity:report'] },
  })
  const { reg } = await h.newAgent(operator, { platform_slug: platform.slug })
  await h.report(key, reg, { event_type: 'incident' })
  const [incident] = await h.sql(
    'select id from incidents where agent_id = (select id from agents where reg = $1)',
    [reg],
  )
  const [delivery] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: new Date() }])
  const [notification] = await h.sql('select id from notifications where operator_id = $1', [operator.id])
  const things = {
    'agents/reg': reg,
    'platforms/slug': platform.slug,
    'keys/key_id': keyId,
    'platform keys/key_id': platformKey.body.id,
    'deliveries/id': delivery.id,
    'incidents/id': incident?.id,
    'notifications/id': notification?.id,
    'sessions/id': other.token.slice(9, 17),
  }
  return { operator, visitors, things }
}

/** What stays as it was while nobody has changed anything of an operator's. */
async function stateOf({ operator, things }: { operator: Operator; things: Things }) {
  const audited = await h.sql('select count(*) from audit_log where operator_id = $1', [operator.id])
  const read = await h.sql(
    'select count(*) from notifications where operator_id = $1 and read_at is not null',
    [operator.id],
  )
  const incident = await h.sql('select status, resolution from incidents where id = $1', [
    things['incidents/id'],
  ])
  const sent = await h.sql(
    `select count(*) from webhook_deliveries where platform_id = (select id from platforms where slug = $1)
       and type in ('agent.updated', 'incident.resolved')`,
    [things['platforms/slug']],
  )
  const requested = await h.sql(
    'select count(*) from ownership_challenges where agent_id = (select id from agents where reg = $1)',
    [things['agents/reg']],
  )
  return { audited, read, incident, sent, requested }
}

describe("another operator's things, in the console", () => {
  let mine: Awaited<ReturnType<typeof newOwner>>
  let theirs: Awaited<ReturnType<typeof newOwner>>
  let nobodys: Things
  let requested = 0
  beforeAll(async () => {
    ;[mine, theirs] = await Promise.all([newOwner(), newOwner()])
    nobodys = {
      'agents/reg': unknownReg(),
      'platforms/slug': 'nobody-has-this',
      'sessions/id': 'aaaaaaaa',
      ...Object.fromEntries(
        ['keys/key_id', 'platform keys/key_id', 'deliveries/id', 'incidents/id', 'notifications/id'].map(
          (place) => [place, unknownId()],
        ),
      ),
    }
  })

  /** What comes of a request, with what differs from thing to thing by its nature left out. */
  async function ask(method: string, address: string, things: Things) {
    const visitor = mine.visitors[requested++ % mine.visitors.length]
    if (!visitor) throw new Error('nobody is signed in')
    const fields = { ...(await forgedFields(h.dir, visitor, address)), ...fieldsFor(things) }
    const response = await (method === 'GET' ? visitor.get(address) : visitor.post(address, fields))
    let text = `${response.title} ${response.location} ${response.text}`.replace(/value="[^"]*"/g, '')
    for (const one of [mine.things, theirs.things, nobodys])
      for (const [place, thing] of Object.entries(one)) text = text.replaceAll(thing, place)
    return { status: response.status, text }
  }

  it.each(NAMED)('are as if they were not there, and stay as they are: %s %s', async (method, path) => {
    expect(placesOf(path).filter((place) => nobodys[place] === undefined)).toEqual([])
    const before = await stateOf(theirs)
    const owners: [foreign: Things[], unknown: Things[]][] = [[[theirs.things], [nobodys]]]
    if (placesOf(path).length > 1)
      owners.push([
        [mine.things, theirs.things],
        [mine.things, nobodys],
      ])
    if (placesOf(path).length > 1 && path.startsWith('/console/platforms'))
      owners.push([
        [theirs.things, mine.things],
        [nobodys, mine.things],
      ])
    for (const [foreign, unknown] of owners) {
      const named = Object.assign({}, ...foreign)
      const rejected = await ask(method, addressOf(path, ...foreign), named)
      const absent = await ask(method, addressOf(path, ...unknown), Object.assign({}, ...unknown))
      expect(rejected).toEqual(absent)
      if (!NOT_404.includes(`${method} ${path}`)) expect(rejected.status).toBe(404)
    }
    expect(await stateOf(theirs)).toEqual(before)
  })

  it('are taken from their own operator, so that the rejections above mean something', async () => {
    for (const [method, path] of NAMED) {
      const { status, text } = await ask(method, addressOf(path, mine.things), mine.things)
      expect([403, 404, 500], `${method} ${path}: ${text.slice(0, 200)}`).not.toContain(status)
    }
  })
})
