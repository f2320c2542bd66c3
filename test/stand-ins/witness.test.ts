import { consistencyPath, openCheckpoint, parsePolicy, type ReadTiles } from '@agentreg/verify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWitness, type Witness } from '../../local/stand-ins/witness/index.ts'
import { joinBytes } from '../../src/transparency/bytes.ts'
import { formatAddCheckpoint, parseConflict } from '../../src/transparency/witness.ts'
import { appendBytes, levelOf, newTestLog, type SignedHead, sign, type TestLog } from '../support/log/log.ts'
import { testFolders } from '../support/test-folder.ts'

const newFolder = testFolders()
let dir = ''
let log: TestLog
let witness: Witness

beforeEach(async () => {
  dir = newFolder()
  log = await newTestLog()
  witness = await startWitness({ dir, logs: [log.vkey] })
})
afterEach(() => witness.stop())

async function grow(size: number): Promise<SignedHead> {
  while (log.leaves.length < size) appendBytes(log, `leaf ${log.leaves.length}`)
  return sign(log)
}

async function pathFrom(oldSize: number) {
  const readTiles: ReadTiles = (tiles) =>
    Promise.all(
      tiles.map(async ({ level, n, width }) => {
        const hashes = await levelOf(log, Number(level))
        return joinBytes(...hashes.slice(n * 256, n * 256 + width))
      }),
    )
  return consistencyPath(oldSize, log.head.size, readTiles)
}

async function post(body: string) {
  const response = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body })
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
}

const submit = async (oldSize: number) =>
  post(formatAddCheckpoint(oldSize, await pathFrom(oldSize), log.head.note))

/** The witnesses whose cosignatures of a note verify, or the reason why it is rejected. */
async function openedBy(note: string) {
  const policy = await parsePolicy(`log ${log.vkey}\n${witness.policyLine}\nquorum w1`)
  const { checkpoint, reason } = await openCheckpoint(note, policy)
  return reason ?? checkpoint.witnesses
}

describe('a checkpoint', () => {
  it('is cosigned if it continues the last one, or is the last one', async () => {
    for (const [oldSize, size] of [
      [0, 1],
      [1, 7],
      [7, 8],
      [8, 8],
      [8, 300],
      [300, 512],
    ] as const) {
      await grow(size)
      const { status, type, body } = await submit(oldSize)
      expect({ oldSize, status, type, body }).toMatchObject({
        oldSize,
        status: 200,
        type: expect.stringContaining('text/plain'),
        body: expect.stringMatching(/^— witness\.local\/w1 \S+\n$/),
      })
      expect(await openedBy(log.head.note + body)).toEqual([{ name: 'w1', time: expect.any(Number) }])
    }
    const shown = await (await fetch(witness.url)).json()
    expect(shown).toMatchObject({ vkey: witness.vkey, heads: { [log.origin]: { size: '512' } } })
  })

  it('from another old size than the last one is a conflict that names the last size', async () => {
    await grow(5)
    await submit(0)
    await grow(9)
    const rejected = await submit(0)
    expect(rejected).toEqual({ status: 409, type: 'text/x.tlog.size', body: '5\n' })
    expect(parseConflict(rejected.body)).toBe(5)
    expect(await submit(5)).toMatchObject({ status: 200 })
    expect(await submit(5)).toMatchObject({ status: 409, body: '9\n' })
  })

  it('of the same size with another root is a conflict', async () => {
    await grow(5)
    await submit(0)
    log.leaves.pop()
    appendBytes(log, 'another')
    await sign(log)
    expect(await submit(5)).toEqual({ status: 409, type: 'text/x.tlog.size', body: '5\n' })
  })

  it('that does not continue the last one is unprocessable', async () => {
    await grow(5)
    await submit(0)
    const { note } = await grow(9)
    const path = await pathFrom(5)
    expect(await post(formatAddCheckpoint(5, path.slice(1), note))).toMatchObject({ status: 422 })
    expect(await post(formatAddCheckpoint(5, [...path].reverse(), note))).toMatchObject({ status: 422 })
    log.leaves.shift()
    appendBytes(log, 'another')
    await sign(log)
    expect(await submit(5)).toMatchObject({ status: 422 })
  })

  it('of an unknown log is not found, and with a wrong signature is forbidden', async () => {
    const stranger = await newTestLog('stranger.example/log')
    const forger = await newTestLog()
    await sign(stranger)
    await sign(forger)
    expect(await post(formatAddCheckpoint(0, [], stranger.head.note))).toMatchObject({ status: 404 })
    expect(await post(formatAddCheckpoint(0, [], forger.head.note))).toMatchObject({ status: 403 })
    const both = forger.head.note.split('\n').at(-2)
    const { note } = await grow(3)
    expect(await post(formatAddCheckpoint(0, [], `${note}${both}\n`))).toMatchObject({ status: 200 })
  })
})

it('a witness keeps its key, address, and heads over a restart', async () => {
  await grow(5)
  await submit(0)
  const { url, vkey } = witness
  await witness.stop()
  witness = await startWitness({ dir, logs: [log.vkey] })
  expect(witness).toMatchObject({ url, vkey })
  await grow(6)
  expect(await submit(0)).toMatchObject({ status: 409, body: '5\n' })
  expect(await submit(5)).toMatchObject({ status: 200 })
})
