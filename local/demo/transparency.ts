import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { openLeaf, type Policy, parsePolicy, verifyProof } from '../../packages/verify/index.ts'
import { call } from '../../scripts/support/call.ts'
import { say } from '../../scripts/support/print.ts'
import { LOCAL_DIR } from '../../scripts/support/stack-file.ts'
import { runCron } from '../cron.ts'
import { showCall } from './call.ts'
import { printResponse, step } from './print.ts'

const WAIT_MS = 120_000
const POLL_MS = 200
const PROOF_FILE = join(LOCAL_DIR, 'demo', 'incident.tlog-proof')
const OPENING_FILE = join(LOCAL_DIR, 'demo', 'incident.opening.json') // where agentreg verify --offline looks for it

const infoShape = z.object({ vkeys: z.array(z.string()).min(1) })
const openingShape = z.object({
  salt: z.string(),
  facts: z.string(),
  texts_salt: z.string(),
  texts: z.string(),
})
const entriesShape = z.object({
  data: z.array(z.object({ index: z.number(), leaf: z.string(), opening: openingShape })),
})
const incidentShape = z.object({ severity: z.string() })
const textsShape = z.object({ title: z.string() })

/** The head that the proof of the incident leads to. */
export interface ProvenHead {
  size: number
  root: Uint8Array
}

/**
 * Saves the proof that the transparency log contains the agent's incident, and verifies it from the file alone.
 *
 * @throws Error when it does not verify, or a changed one does
 */
export async function showTransparency(baseUrl: string, reg: string, title: string): Promise<ProvenHead> {
  step(
    'Verify the incident in the transparency log, offline',
    'The jobs above added each event and the incident to a public Merkle tree, and signed its head.',
    'With a pinned key of the log, anyone can prove later that the record existed, and what it said.',
  )
  const vkey = await showKey(baseUrl)
  await incidentInLog(baseUrl, reg)
  const { data } = await showCall(`${baseUrl}/api/v1`, {
    method: 'GET',
    path: `/agents/${reg}/log-entries?kind=incident`,
    status: 200,
    shape: entriesShape,
  })
  const entry = data[0]
  if (!entry) throw new Error('the log has no incident of the agent')

  const files = { proof: shown(PROOF_FILE), opening: shown(OPENING_FILE) }
  say(`curl -s ${baseUrl}/log/proof/${entry.index} > ${files.proof}`)
  const response = await fetch(`${baseUrl}/log/proof/${entry.index}`)
  if (!response.ok) throw new Error(`the log gives no proof of leaf ${entry.index}: ${response.status}`)
  mkdirSync(join(LOCAL_DIR, 'demo'), { recursive: true })
  writeFileSync(PROOF_FILE, await response.text())
  writeFileSync(OPENING_FILE, `${JSON.stringify(entry.opening, null, 2)}\n`)
  say(`→ saved, with the opening from the response above in ${files.opening}`)

  say('', 'The rest needs no network: the two files and the pinned key are enough.', '')
  say(`npm run -s agentreg -- verify --offline ${files.proof} --vkey $VKEY`)
  return verifySaved(await parsePolicy(`log ${vkey}\nquorum none`), title)
}

/** Fetches the key of the log, which a client pins when it first sees it. */
async function showKey(baseUrl: string): Promise<string> {
  say(`curl -s ${baseUrl}/log/info.json`)
  const info = await call(baseUrl, { method: 'GET', path: '/log/info.json', status: 200, shape: infoShape })
  printResponse(200, info)
  const [vkey = ''] = info.vkeys
  say(`export VKEY=${vkey}`)
  return vkey
}

/** Waits until the signed head includes the incident: a job that runs at the same time may hold the lock of the log. */
async function incidentInLog(baseUrl: string, reg: string): Promise<void> {
  const requested = {
    method: 'GET',
    path: `/agents/${reg}/log-entries?kind=incident`,
    status: 200,
    shape: entriesShape,
  } as const
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(POLL_MS)) {
    if ((await call(`${baseUrl}/api/v1`, requested)).data.length > 0) return
    await runCron(baseUrl)
  }
  throw new Error(`the incident was not logged within ${WAIT_MS / 1000} s`)
}

async function verifySaved(policy: Policy, title: string): Promise<ProvenHead> {
  const proof = readFileSync(PROOF_FILE, 'utf8')
  const opening = openingShape.parse(JSON.parse(readFileSync(OPENING_FILE, 'utf8')))
  const { index, read, checkpoint, reason } = await verifyProof(proof, policy)
  if (reason !== null || !read.leaf) throw new Error(`the proof does not verify: ${reason}`)
  const opened = await openLeaf(read.leaf, opening)
  if (opened.reason !== null) throw new Error(`the opening does not open the leaf: ${opened.reason}`)
  const { severity } = incidentShape.parse(opened.facts)
  const texts = textsShape.parse(opened.content)
  if (texts.title !== title) throw new Error(`the leaf commits to the incident "${texts.title}"`)
  const { origin, size, root } = checkpoint
  say(`→ leaf ${index} of the ${size} that ${origin} has signed: ${severity}, "${texts.title}"`)

  const changed = { ...opening, facts: opening.facts.replace(severity, 'info') }
  const other = proof.replace(/^index \d+$/m, `index ${index + 1}`)
  if ((await openLeaf(read.leaf, changed)).reason === null) throw new Error('a changed incident verifies')
  if ((await verifyProof(other, policy)).reason === null) throw new Error('a proof of another index verifies')
  say('→ rejected, as it must be: a lower severity, and another index in the log')
  return { size, root }
}

function shown(file: string): string {
  return relative(process.cwd(), file)
}
