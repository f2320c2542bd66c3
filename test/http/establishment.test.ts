import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { identify } from '../support/attested.ts'
import { plus } from '../support/day.ts'
import { dropRows, plantRows } from '../support/fill.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { rowsOf, type Stretch } from '../vectors/rollups.ts'

const h = shared()
const { api, sql, newAgent, newOperator, newPlatform } = h

const NOW = new Date()
const TODAY = utcDay(NOW)
const LONG_AGO = plus(-200 * DAY_MS, NOW)

/** An operator with agents on a platform. */
interface Worker {
  /** The reported work of each of its agents. */
  agents?: Stretch[][]
  /** The person verified for the operator: by default one of its own. */
  person?: 'own' | 'host' | 'first' | 'nobody'
  since?: Date
  suspended?: boolean
  left?: boolean
}

interface Case {
  workers: Worker[]
  host?: 'suspended' | 'unverified'
  platform?: 'distrusted' | 'retired'
}

const TEN_DAYS: Stretch = { source: 'peer', from: 0, to: 9, tasks: 5 }
const worker = (...agents: Partial<Stretch>[][]): Worker => ({
  agents: agents.map((record) => record.map((stretch) => ({ ...TEN_DAYS, ...stretch }))),
})
const FULL = worker([{}])
const TWO = [FULL, FULL]

const ESTABLISHED: Record<string, Case> = {
  'three operators': { workers: [...TWO, FULL] },
  'three operators, one with thousands of tasks per day': { workers: [...TWO, worker([{ tasks: 5_000 }])] },
  'a person with two accounts, and two others': { workers: [...TWO, { ...FULL, person: 'first' }, FULL] },
  'work back to the oldest day that counts': { workers: [...TWO, worker([{ from: 80, to: 89 }])] },
  'work reported as independent': { workers: [...TWO, worker([{ source: 'independent' }])] },
  'work since the day after an agent joined': {
    workers: [...TWO, { ...FULL, since: plus(-10 * DAY_MS, NOW) }],
  },
  'work of one operator spread over two agents': {
    workers: [...TWO, worker([{ from: 0, to: 4 }], [{ from: 5, to: 9 }])],
  },
}

const NOT_ESTABLISHED: Record<string, Case> = {
  'two operators': { workers: TWO },
  'a third account of the same person': { workers: [...TWO, { ...FULL, person: 'first' }] },
  'a third account of the platform’s own person': { workers: [...TWO, { ...FULL, person: 'host' }] },
  'a third operator that is not verified': { workers: [...TWO, { ...FULL, person: 'nobody' }] },
  'a third operator with more than five tasks on nine days': {
    workers: [...TWO, worker([{ to: 8, tasks: 500 }])],
  },
  'a third operator whose two agents work on the same five days': {
    workers: [...TWO, worker([{ to: 4 }], [{ to: 4 }])],
  },
  'a third operator whose five days are reported by two sources': {
    workers: [...TWO, worker([{ to: 4 }, { to: 4, source: 'independent' }])],
  },
  'a third operator whose tasks failed': { workers: [...TWO, worker([{ tasks: 500, completed: 4 }])] },
  'a third operator whose work is self-reported': {
    workers: [...TWO, worker([{ source: 'self', tasks: 500 }])],
  },
  'work that includes the day on which the agent joined': {
    workers: [...TWO, { ...FULL, since: new Date(`${utcDay(plus(-9 * DAY_MS, NOW))}T00:00:00Z`) }],
  },
  'work of an agent that has left': { workers: [...TWO, { ...FULL, left: true }] },
  'work of a suspended operator': { workers: [...TWO, { ...FULL, suspended: true }] },
  'work that is 90 days old': { workers: [...TWO, worker([{ from: 81, to: 90 }])] },
  'a platform whose operator is not verified': { workers: [...TWO, FULL], host: 'unverified' },
  'a platform whose operator is suspended': { workers: [...TWO, FULL], host: 'suspended' },
  'a distrusted platform': { workers: [...TWO, FULL], platform: 'distrusted' },
  'a retired platform': { workers: [...TWO, FULL], platform: 'retired' },
}

interface Planted {
  host: Operator
  slug: string
  operators: Operator[]
}

const planted: string[] = []
const cases = new Map<string, Planted>()

async function plant({ workers, host: hostState, platform }: Case): Promise<Planted> {
  const host = await newOperator({ tier: 'pro' })
  const { slug } = await newPlatform(host)
  const operators: Operator[] = []
  for (const { agents = [], person = 'own', since = LONG_AGO, suspended, left } of workers) {
    const operator = await newOperator()
    operators.push(operator)
    const identities = { host: host.id, first: operators[0]?.id, nobody: null, own: operator.id }
    await sql('update operators set kyc_identity = $2 where id = $1', [operator.id, identities[person]])
    for (const record of agents) {
      const { id } = await newAgent(operator, { platform_slug: slug })
      planted.push(id)
      await sql('update agents set platform_since = $2 where id = $1', [id, since])
      if (left)
        await sql(
          'update agents set platform_id = null, platform_state = null, platform_since = null where id = $1',
          [id],
        )
      await plantRows(h, id, rowsOf(record, TODAY))
    }
    if (suspended) await h.suspend(operator)
  }
  if (hostState !== 'unverified') await identify(h, host)
  if (hostState === 'suspended') await h.suspend(host)
  if (platform === 'distrusted') await h.admin('distrust', slug)
  if (platform === 'retired') await sql(`update platforms set status = 'retired' where slug = $1`, [slug])
  return { host, slug, operators }
}

/** Runs the job on platforms, even if a run of another test has already evaluated them today. */
async function evaluate(...slugs: string[]): Promise<void> {
  await sql('update platforms set judged_day = null where slug = any ($1)', [slugs])
  await Promise.all([h.cron(NOW), h.cron(NOW)])
}

async function statusOf(slug: string): Promise<Body> {
  return (
    await sql('select established_at, established_by, distrusted_at from platforms where slug = $1', [slug])
  )[0]
}

async function establishedEntries({ host, slug }: Planted): Promise<Body[]> {
  const { body } = await api('GET', '/operators/me/audit-log', { token: host.token })
  return body.data.filter(({ action, target }: Body) => action === 'platform.established' && target === slug)
}

beforeAll(async () => {
  const all = Object.entries({ ...ESTABLISHED, ...NOT_ESTABLISHED })
  await Promise.all(all.map(async ([name, one]) => cases.set(name, await plant(one))))
  await evaluate(...[...cases.values()].map(({ slug }) => slug))
})
afterAll(() => dropRows(h, planted))

describe('a platform is established', () => {
  it.each(Object.keys(ESTABLISHED))('by %s, with one audit log entry, and permanently', async (name) => {
    const one = cases.get(name) as Planted
    const before = await statusOf(one.slug)
    expect(before.established_at).toEqual(expect.any(Date)) // set by the first of two runs
    expect(new Set(before.established_by)).toEqual(new Set(one.operators.map(({ id }) => id)))
    if (name === 'three operators') {
      for (const operator of one.operators) await h.suspend(operator)
      await evaluate(one.slug)
      expect(await statusOf(one.slug)).toEqual(before)
    }
    expect(await establishedEntries(one)).toHaveLength(1)
  })

  it.each(Object.keys(NOT_ESTABLISHED))('not by %s', async (name) => {
    expect((await statusOf(cases.get(name)?.slug ?? '')).established_at).toBeNull()
  })
})
