import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { runProgram } from '../../../packages/cli/src/program.ts'
import type { Verdict } from '../../../packages/verify/index.ts'
import { DAY_MS, utcDay } from '../../../src/lib/time.ts'
import { freshIp } from '../harness.ts'
import { addDay, newStoredAgent, type StoredAgent, type StoredEvent, settle } from './agent.ts'
import {
  append,
  appendAgent,
  appendDays,
  appendEvents,
  appendIncident,
  appendStates,
  newTestLog,
  sign,
  type TestLog,
} from './log.ts'
import { serveTestLog, TOKEN_KEY } from './serve.ts'

export const REG = 'REG-2026-0001-0042-U'
export const OTHER = 'REG-2026-0001-0043-S'

/** The UTC day `days` ago. */
export const dayAgo = (days: number) => utcDay(new Date(Date.now() - days * DAY_MS))

/** Serves an honest log with six days of two agents, and runs the verifier on it. */
export async function tellStory() {
  const log = await newTestLog()
  const [agent, other] = [newStoredAgent(REG, 6), newStoredAgent(OTHER, 6)]
  log.agents.set(REG, agent).set(OTHER, other)
  for (const one of [agent, other]) await appendAgent(log, one, 1)
  addDay(other, dayAgo(4), 229)
  await appendEvents(log, other, 1)
  const { kid, publicJwk: key } = await TOKEN_KEY
  append(log, { v: 1, kind: 'key', use: 'token', kid, key, state: 'added' })
  appendStates(log)
  const incident: [string, string] = [randomUUID(), dayAgo(4)]
  for (const days of [5, 4, 3, 2, 1, 0]) {
    const first = agent.events.length + 1
    if (days !== 3) addDay(agent, dayAgo(days), days === 0 ? 8 : 32)
    await appendEvents(log, agent, first)
    if (days === 4) await appendIncident(log, agent, incident, 1)
    if (days === 2) await appendIncident(log, agent, incident, 2)
  }
  for (const one of [agent, other]) {
    await settle(one)
    appendDays(log, one, [5, 4, 3, 2, 1].map(dayAgo))
  }
  agent.profile.description = 'fetches letters'
  await appendAgent(log, agent, 2)
  await sign(log)
  return within(log, agent)
}

export type Story = Awaited<ReturnType<typeof tellStory>>

async function within(log: TestLog, agent: StoredAgent) {
  const dir = await mkdtemp(join(tmpdir(), 'log-verify-'))
  const service = await serveTestLog(log)
  const state = join(dir, 'state.json')
  return {
    log,
    agent,
    service,
    dir,
    state,
    verify: (...args: string[]) => run(service.url, REG, ...args),
    /** Adds events of today, logs and signs them. */
    goOn: async (count = 8) => {
      const first = agent.events.length + 1
      addLater(agent, count)
      await appendEvents(log, agent, first)
      await sign(log)
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Adds events with the current time. */
export function addLater(agent: StoredAgent, count: number): void {
  const last = agent.events.at(-1)
  for (let n = 0; n < count; n++) {
    agent.events.push({
      seq: agent.events.length + 1,
      id: randomUUID(),
      event_type: 'task_completed',
      severity: 'info',
      reported_by: 'operator',
      source: 'self',
      platform: null,
      created_at: new Date(Math.max(Date.now(), Date.parse(last?.created_at ?? ''))).toISOString(),
      metadata: { quality: 1 },
      redacted: false,
    })
  }
}

/**
 * Runs `agentreg verify`, or another command that is named, in this process, with a new IP address.
 *
 * @param words the URL of the registry, if needed, then those of the command
 * @returns its output and exit status
 */
export async function run(...words: string[]): Promise<{ status: number; out: string; err: string }> {
  const [first = '', ...rest] = words
  const args = first.startsWith('http')
    ? ['--base-url', first, 'verify', ...rest]
    : first === 'monitor'
      ? words
      : ['verify', ...words]
  const printed = { stdout: '', stderr: '' }
  const said = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += text
      return true
    }),
  )
  const [ask, ip, exitCode] = [globalThis.fetch, freshIp(), process.exitCode]
  const requested = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const headers = { ...(init?.headers as Record<string, string>), 'CF-Connecting-IP': ip }
    return ask(url, { ...init, headers })
  })
  try {
    const status = await runProgram(args)
    return { status, out: printed.stdout, err: printed.stderr }
  } finally {
    process.exitCode = exitCode
    for (const spy of [...said, requested]) spy.mockRestore()
  }
}

/** Expects a run with status 1 whose output contains these texts. */
export function expectFinding(
  found: Awaited<ReturnType<typeof run>>,
  ...sentences: (string | RegExp)[]
): void {
  for (const sentence of sentences) {
    if (typeof sentence === 'string') expect(found.out).toContain(sentence)
    else expect(found.out).toMatch(sentence)
  }
  expect(found).toMatchObject({ status: 1, err: '', out: expect.stringContaining('  failed: ') })
}

/** Expects a failed verdict, and of a check that it has failed with this detail. */
export function expectFailed({ verdict, checks }: Verdict, name: string, detail: string | RegExp): void {
  const check = checks.find((one) => one.name === name)
  const found = typeof detail === 'string' ? expect.stringContaining(detail) : expect.stringMatching(detail)
  expect({ verdict, ...check }).toEqual({ verdict: 'failed', name, ok: false, detail: found })
}

/** A stored event of the story. */
export function event({ agent }: Story, seq: number): StoredEvent {
  const found = agent.events.find((one) => one.seq === seq)
  if (!found) throw new Error(`no event ${seq}`)
  return found
}
