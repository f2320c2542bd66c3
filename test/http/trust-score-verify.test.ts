import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { freePort } from '../../local/port.ts'
import { main } from '../../scripts/verify.ts'
import { utcDay } from '../../src/lib/time.ts'
import { storeRows, unknownReg } from '../support/fill.ts'
import { type Body, freshIp, shared } from '../support/harness.ts'
import { dayOfAge, randomRollups, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'

const h = shared()
const { newOperator, newAgent, newReporter, report, base_url: baseUrl } = h

const ROOT = join(import.meta.dirname, '../..')
const TODAY = utcDay(new Date())
const RECORD: Stretch[] = [
  { source: 'independent', from: 0, to: 89, tasks: 40, completed: 38, quality: 0.95, satisfied: 0.9 },
  { source: 'self', from: 0, to: 89, tasks: 10, completed: 9 },
]

/** Runs the command as a separate process. */
function verifyAsProcess(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const command = ['scripts/verify.ts', ...args]
    const child = execFile(process.execPath, command, { cwd: ROOT }, (_, out, err) =>
      resolve({ status: child.exitCode ?? -1, out, err }),
    )
  })
}

/** Runs the command in this process; returns its output and exit status. */
async function verify(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const printed = { log: '', error: '' }
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line) => {
      printed[name] += `${line}\n`
    }),
  )
  try {
    const status = await main(args)
    return { status, out: printed.log, err: printed.error }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

type Tamper = (body: Body, path: string) => unknown

/** A proxy in front of the stack that can change responses. */
async function startProxy(tamper: Tamper) {
  const requests: { path: string; credential: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    requests.push({ path, credential: request.headers.authorization ?? request.headers.cookie })
    const reply = await fetch(baseUrl + path, { headers: { 'CF-Connecting-IP': freshIp() } })
    const body = (await reply.json()) as Body
    const changed = (await tamper(body, path)) ?? body
    response.writeHead(reply.status, { 'Content-Type': 'application/json' })
    response.end(typeof changed === 'string' ? changed : JSON.stringify(changed))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, [Symbol.asyncDispose]: async () => void server.close() }
}

async function verifyThrough(tamper: Tamper, ...args: string[]) {
  await using proxy = await startProxy(tamper)
  return { ...(await verify(proxy.url, ...args)), requests: proxy.requests }
}

async function agentWith(rows: Parameters<typeof storeRows>[2]): Promise<string> {
  const { id, reg } = await newAgent(await newOperator())
  await storeRows(h, id, rows)
  return reg
}

const isInputs = (path: string) => path.includes('/inputs')

it('confirms a score computed from events', async () => {
  const noon = new Date(`${dayOfAge(1, TODAY)}T12:00:00Z`)
  const { key, reg } = await newReporter({ now: noon })
  for (let n = 0; n < 12; n++) {
    await report(key, reg, { metadata: { quality: 0.9, response_ms: 900 + n } }, noon)
  }
  const { status, out, err } = await verifyAsProcess(baseUrl, reg)
  expect({ status, err }).toEqual({ status: 0, err: '' })
  expect(out).toMatch(new RegExp(`${reg} on [-0-9]{10}: 12 events on 1 day, algorithm 1.0`))
  expect(out).toMatch(/confidence +0\.0988 +0\.0988 +0\.0988\n/)
  expect(out).toMatch(/OK: all values are the same\n$/)
})

it('makes three public requests without a credential, and one for a past day', async () => {
  const reg = await agentWith(rowsOf(RECORD, TODAY))
  const now = await verifyThrough(() => undefined, reg)
  const path = `/api/v1/agents/${reg}/trust-score`
  expect(now.status).toBe(0)
  expect(now.requests).toEqual(
    [`${path}/inputs`, `${path}?explain=true`, `${path}/inputs`].map((path) => ({ path })),
  )
  const past = dayOfAge(40, TODAY)
  const then = await verifyThrough(() => undefined, reg, '--date', past)
  expect(then.requests).toEqual([{ path: `${path}/inputs?date=${past}` }])
  expect({ status: then.status, out: then.out }).toEqual({
    status: 0,
    out: expect.stringContaining(`${reg} on ${past}: 2500 events on 50 days`),
  })
})

it.each([1, 2, 3, 4])('confirms random inputs, today and in the past (seed %i)', async (seed) => {
  const reg = await agentWith(randomRollups(seeded(seed), TODAY, { largest: 1e6 }))
  for (const args of [[], ['--date', dayOfAge(33, TODAY)]]) {
    const { status, out, err } = await verifyThrough(() => undefined, reg, ...args)
    expect({ status, err, out }).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/OK/) })
  }
})

it('confirms that there is no score', async () => {
  const reg = await agentWith([])
  const { status, out } = await verify(`${baseUrl}/`, reg)
  expect({ status, out }).toEqual({
    status: 0,
    out: expect.stringMatching(/no score: too few tasks\n\n {2}OK/),
  })
})

/** Changes only the inputs. */
const inputsWith =
  (change: (body: Body) => object): Tamper =>
  (body, path) =>
    isInputs(path) ? { ...body, ...change(body) } : undefined
/** Changes only the score. */
const scoreWith =
  (change: (body: Body) => object): Tamper =>
  (body, path) =>
    isInputs(path) ? undefined : change(body)
const changedRow = (field: string) =>
  inputsWith(({ rows }) => ({ rows: rows.with(3, { ...rows[3], [field]: rows[3][field] + 1 }) }))

/** Relabels a self-reported row as one of a peer. */
const relabeled = ({ rows }: Body) => ({
  rows: rows.with(0, { ...rows[0], source: 'peer' }),
})

const FORGERIES: [what: string, tamper: Tamper, differs: string][] = [
  ['a changed number in a row', changedRow('failed'), 'sha256'],
  ['a changed downtime that does not affect the score', changedRow('down_seconds'), 'differs: sha256\n'],
  ['a changed source', inputsWith(relabeled), 'sha256'],
  ['a missing row', inputsWith(({ rows }) => ({ rows: rows.slice(1) })), 'sha256'],
  ['rows in another order', inputsWith(({ rows }) => ({ rows: rows.toReversed() })), 'differs: rows\n'],
  ['another hash', inputsWith(() => ({ sha256: '0'.repeat(64) })), 'differs: sha256\n'],
  [
    'a dimension increased by 0.1',
    scoreWith((body) => ({ ...body, safety: body.safety + 0.1 })),
    'differs: safety\n',
  ],
  [
    'another composite',
    inputsWith(({ score }) => ({ score: { ...score, overall: 99.9 } })),
    'differs: overall\n',
  ],
  ['a withheld score', scoreWith(() => ({ status: 'insufficient_data' })), 'differs: overall, '],
  ['a future day', inputsWith(() => ({ today: '2099-01-01' })), 'differs: today, '],
  ['another agent', inputsWith(() => ({ reg: 'REG-2026-0001-0042-U' })), 'differs: reg\n'],
]

it.each(FORGERIES)('detects %s', async (_, tamper, differs) => {
  const reg = await agentWith(rowsOf(RECORD, TODAY))
  const { status, out, err } = await verifyThrough(tamper, reg)
  expect({ status, err }).toEqual({ status: 1, err: '' })
  expect(out).toMatch(/\n *differs: .+\n$/)
  expect(out).toContain(differs)
})

it('does not report an event between its requests as a forgery', async () => {
  const { key, reg } = await newReporter()
  for (let n = 0; n < 12; n++) await report(key, reg)
  let late = 1
  const { status, out, requests } = await verifyThrough(async (_, path) => {
    if (isInputs(path) && late-- > 0) await report(key, reg, { event_type: 'incident', severity: 'critical' })
  }, reg)
  expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/13 events on/) })
  expect(requests).toHaveLength(5)
})

it('exits with status 2 if the inputs change during every attempt', async () => {
  const { key, reg } = await newReporter()
  const { status, err } = await verifyThrough(async (_, path) => {
    if (isInputs(path)) await report(key, reg)
  }, reg)
  expect({ status, err }).toEqual({ status: 2, err: expect.stringMatching(/--date/) })
})

it.each([
  [
    'no arguments',
    [],
    "base url: must be the URL of a service, for example https://registry.example, not ''",
  ],
  ['no agent number', ['http://127.0.0.1:1'], 'agent number: must look like REG-2026-0001-0042-U'],
  ['no base URL', ['REG-2026-0001-0042-U'], 'base url: must be'],
  ['a URL of another scheme', ['ftp://example.com', 'REG-2026-0001-0042-U'], 'base url: must be'],
  [
    'a base URL with a path',
    ['http://127.0.0.1:1/api/v1', 'REG-2026-0001-0042-U'],
    'base url: must be only the URL of the service, http://127.0.0.1:1, not',
  ],
  ['a malformed number', ['http://127.0.0.1:1', 'REG-1'], 'agent number: must look like'],
  [
    'a mistyped number',
    ['http://127.0.0.1:1', 'reg-2026-0001-0042-x'],
    'agent number: REG-2026-0001-0042-X is',
  ],
  ['an extra argument', ['http://127.0.0.1:1', 'REG-2026-0001-0042-U', 'x'], "'x': unexpected argument"],
  [
    'an invalid date',
    ['http://127.0.0.1:1', 'REG-2026-0001-0042-U', '--date', '2026-02-30'],
    '--date: must be a day, as 2026-11-20',
  ],
  [
    'a missing date',
    ['http://127.0.0.1:1', 'REG-2026-0001-0042-U', '--date'],
    "Option '--date <value>' argument missing",
  ],
  [
    'an unknown option',
    ['http://127.0.0.1:1', 'REG-2026-0001-0042-U', '--day', '2026-02-20'],
    "Unknown option '--day'",
  ],
])('names the wrong argument and prints the usage for %s', async (_, args, problem) => {
  const { status, out, err } = await verify(...args)
  expect({ status, out, err }).toEqual({ status: 2, out: '', err: expect.stringContaining(problem) })
  expect(err).toMatch(/\nusage: npm run/)
})

it('prints its usage for --help', async () => {
  expect(await verify('--help')).toEqual({
    status: 0,
    out: expect.stringMatching(/^usage: npm run.*--date day/s),
    err: '',
  })
})

it('exits with status 2 and the reason if it cannot verify', async () => {
  const reg = await agentWith([])
  const unreachable = await verify(`http://127.0.0.1:${await freePort()}`, reg)
  expect(unreachable).toMatchObject({
    status: 2,
    out: '',
    err: expect.stringMatching(/no response from http/),
  })
  const unknown = unknownReg()
  expect(await verify(baseUrl, unknown)).toMatchObject({
    status: 2,
    err: expect.stringContaining(`there is no agent ${unknown}`),
  })
  expect(await verify(baseUrl, reg, '--date', '2099-01-01')).toMatchObject({
    status: 2,
    err: expect.stringMatching(/date: must not be after the current UTC day/),
  })
  for (const nonsense of ['<html>', '{}', '{"rows":[{}]}', '[]']) {
    const { status, err } = await verifyThrough(() => nonsense, reg)
    expect({ status, err }).toEqual({ status: 2, err: expect.stringMatching(/unexpected response/) })
  }
  const newer = await verifyThrough(
    inputsWith(() => ({ algorithm_version: '1.1' })),
    reg,
  )
  expect(newer).toMatchObject({ status: 2, err: expect.stringMatching(/computes version 1\.1/) })
})
