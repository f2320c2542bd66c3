import { expect, it } from 'vitest'
import { type Body, shared } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'
import { untilNoneWaits } from '../support/logged.ts'

const h = shared()
const { api, newOperator, newPlatform, sql } = h
const kyc = kycControl(h)

const leavesAt = async (path: string): Promise<Body[]> => {
  await untilNoneWaits(h, 'select from tlog_outbox where subject = $1', path.split('/').at(-1) ?? '')
  const { status, body, text } = await api('GET', `${path}/log-entries`)
  expect(status, text).toBe(200)
  const log = await Promise.all(body.data.map(({ index }: Body) => api('GET', `//log/proof/${index}`)))
  for (const [at, { leaf }] of body.data.entries()) {
    const extra = log[at]?.text.split('\n').find((line: string) => line.startsWith('extra '))
    expect(atob(extra?.slice('extra '.length) ?? '')).toBe(leaf)
  }
  return body.data.map(({ leaf }: Body) => JSON.parse(leaf))
}

it('GET /operators/{id}/log-entries lists a leaf for each check that succeeds or expires, and each suspension', async () => {
  const operator = await newOperator()
  expect(await leavesAt(`/operators/${operator.id}`)).toEqual([])
  await kyc.approve(operator, freshPerson())
  await h.suspend(operator)
  await h.admin('unsuspend', operator.email)
  await sql(`update operators set kyc_status = 'expired' where id = $1`, [operator.id])
  await sql(`update operators set name = 'Another' where id = $1`, [operator.id])
  const at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/)
  expect(await leavesAt(`/operators/${operator.id}`)).toEqual(
    ['verified', 'suspended', 'reinstated', 'expired'].map((state, n) => ({
      v: 1,
      kind: 'operator',
      operator: operator.id,
      rev: n + 1,
      state,
      at,
    })),
  )
})

it('GET /platforms/{slug}/log-entries lists a leaf for each change of what the source of its reports depends on, in pages', async () => {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator)
  const by = [crypto.randomUUID(), crypto.randomUUID()]
  await sql('update platforms set established_at = now(), established_by = $2 where slug = $1', [slug, by])
  await h.admin('distrust', slug)
  await h.admin('end-distrust', slug)
  await api('DELETE', `/platforms/${slug}`, { token: operator.token })
  const leaves = await leavesAt(`/platforms/${slug}`)
  expect(leaves.map(({ rev, state, by }) => [rev, state, by])).toEqual([
    [1, 'registered', []],
    [2, 'established', by],
    [3, 'distrusted', []],
    [4, 'trusted', []],
    [5, 'retired', []],
  ])
  expect(leaves[0]).toMatchObject({ v: 1, kind: 'platform', platform: slug, operator: operator.id })
  const states: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api('GET', `/platforms/${slug}/log-entries?limit=2&cursor=${cursor}`)
    states.push(...body.data.map(({ leaf }: Body) => JSON.parse(leaf).state))
    cursor = body.next_cursor
  }
  expect(states).toEqual(leaves.map(({ state }) => state))
})
