import { REG_PATTERN } from '../../src/lib/agent-number.ts'
import { isCount } from '../../src/transparency/bytes.ts'
import { leafBytes } from '../../src/transparency/leaf.ts'
import { RECEIPT_TYPE, type ReceiptEvent, receiptFacts } from '../../src/transparency/receipt.ts'
import {
  type Check,
  type Context,
  runChecks,
  startChecks,
  type Verdict,
  type VerifyOptions,
} from './checks.ts'
import { entriesOf, listEntries } from './entries.ts'
import { CLOCK_TOLERANCE_MS, headCheck, MERGE_DELAY_MS, tokenKeys } from './head.ts'
import { type JwkSet, requireOrigin } from './keys.ts'
import { leavesIn } from './leaves.ts'
import { openLeaf } from './opening.ts'
import { CheckFailed, Inconclusive, pluralize, requireNone, requireVerified } from './problems.ts'
import { openJwt } from './token.ts'

const MAX_RECEIPT_LENGTH = 262_144
const MAX_DUE_SECONDS = 86_400
const DIGEST = /^[0-9a-f]{64}$/

/** What a receipt promises about the events of one agent. */
interface Promised {
  reg: string
  first: number
  last: number
  /** Id of the first event. */
  event: string
  /** SHA-256 of the event, or of the list of events in a batch, in hex. */
  facts: string
  isBatch: boolean
}

interface Receipt {
  iat: number
  due: number
  promised: Promised[]
}

/** Options of `verifyReceipt`. */
export interface VerifyReceiptOptions extends VerifyOptions {
  /** The issuer of the receipt, if it differs from `baseUrl`. */
  issuer?: string | undefined
  /** The key set that was kept with the receipt, in case that the registry no longer publishes its keys. */
  keys?: JwkSet | undefined
}

/**
 * Verifies a receipt: the registry has signed it, and each event that it promises has a leaf under a signed head, with the
 * promised content. Events that are not public need `key`, a key of the operator or platform of the agent.
 *
 * @param baseUrl the registry's origin, from your own settings
 * @param receipt the compact form, `eyJ….….…`
 * @returns `failed` if the promise is broken, or the registry has not made it; `incomplete` if an event is missing and not
 * due yet, or its content cannot be opened
 * @throws TypeError when `baseUrl` or `issuer` is invalid
 *
 * Source: docs/use/transparency.md, "Receipts".
 */
export async function verifyReceipt(
  baseUrl: string,
  receipt: string,
  options: VerifyReceiptOptions = {},
): Promise<Verdict> {
  const { keys, memory } = options
  const [origin, issuer] = [requireOrigin(baseUrl), requireOrigin(options.issuer ?? baseUrl)]
  let opened: Receipt | null = null
  const checks: Check[] = [
    headCheck,
    ...(memory ? [memory.check] : []),
    {
      name: 'receipt',
      async verify(context) {
        opened = await openReceipt(context, receipt, issuer, keys)
        const { iat, due, promised } = opened
        const count = promised.reduce((sum, { first, last }) => sum + last - first + 1, 0)
        return `${pluralize(count, 'event')}, signed by ${issuer} at ${timeOf(iat)}, due at ${timeOf(due)}`
      },
    },
    {
      name: 'promise',
      verify: async (context) => judgeAll(context, requireVerified<Receipt>(opened, 'a valid receipt')),
    },
  ]
  return runChecks(startChecks(origin, '', options), checks, options)
}

async function openReceipt(
  context: Context,
  text: string,
  issuer: string,
  kept: JwkSet | undefined,
): Promise<Receipt> {
  const keysFor = (kid: string) => tokenKeys(context, kid, kept)
  const signed = await openJwt(text, RECEIPT_TYPE, keysFor, MAX_RECEIPT_LENGTH)
  const reject = (reason: string) => new CheckFailed(`the receipt is not valid (${reason})`)
  if (typeof signed === 'string') throw reject(signed)
  const { iss, iat, due, ...about } = signed.payload
  if (iss !== issuer) throw reject('wrong_issuer')
  const promised = promisedIn(about)
  if (!isCount(iat) || !isCount(due) || due > iat + MAX_DUE_SECONDS || !promised) throw reject('malformed')
  if (1000 * iat > context.now.getTime() + CLOCK_TOLERANCE_MS) throw reject('not_yet_valid')
  return { iat, due, promised }
}

/** What the claims promise; null if they are malformed. */
function promisedIn({ reg, seq, event, facts }: Record<string, unknown>): Promised[] | null {
  const isBatch = Array.isArray(reg)
  const lists: unknown[] = isBatch ? [reg, seq, event, facts] : [[reg], [[seq, seq]], [event], [facts]]
  const [regs = [], seqs = [], events = [], digests = []] = lists.filter(Array.isArray)
  if ([seqs, events, digests].some(({ length }) => length !== regs.length)) return null
  const found = regs.map((reg: string, at: number): Promised => {
    const [first, last, ...rest] = Array.isArray(seqs[at]) ? seqs[at] : []
    return { reg, first, last: rest.length === 0 && last, event: events[at], facts: digests[at], isBatch }
  })
  return found.length > 0 && found.every(isPromised) ? found : null
}

function isPromised({ reg, first, last, event, facts }: Promised): boolean {
  const isRange = isCount(first) && isCount(last) && first > 0 && first <= last
  return isRange && REG_PATTERN.test(String(reg)) && typeof event === 'string' && DIGEST.test(String(facts))
}

/** @throws CheckFailed if a promise is broken; Inconclusive if nothing is, but not all can be judged */
async function judgeAll(context: Context, { iat, due, promised }: Receipt): Promise<string> {
  const broken: string[] = []
  const open: string[] = []
  for (const one of promised) {
    const { first, last } = one
    const name = `${one.reg}, ${first === last ? `event ${first}` : `events ${first} to ${last}`}`
    const { wrong, missing = false, hidden = false } = await judge({ ...context, reg: one.reg }, one)
    const age = context.now.getTime() - 1000 * iat
    if (wrong && (await isVoided(context, one))) broken.push(`${name}: lost_in_restore: ${wrong}`)
    else if (missing && context.now.getTime() < 1000 * due) {
      const late = age > MERGE_DELAY_MS ? 'late' : 'not in the log yet'
      open.push(`${name}: ${late}, due at ${timeOf(due)}: keep the receipt, and try again then`)
    } else if (wrong) broken.push(`promise broken: ${name}: ${wrong}. The receipt is the evidence: keep it`)
    else if (hidden)
      open.push(`${name}: in the log, with content that cannot be opened: use a key of the operator`)
  }
  requireNone(broken)
  if (open.length > 0) throw new Inconclusive(open.join('\n'))
  return 'each event is in the log as it was reported'
}

/** What is wrong with the leaves that were promised, if anything, and whether they can be judged. */
async function judge(
  context: Context,
  { reg, first, last, event, facts, isBatch }: Promised,
): Promise<{ wrong?: string; missing?: boolean; hidden?: boolean }> {
  const isKnown = (await context.service.fetchJson(`/api/v1/agents/${reg}`)) !== null
  const entries = isKnown ? await listEntries(context, `kind=event&after=${first - 1}`, true, last) : []
  const leaves = entriesOf({ ...context, entries }, 'event').filter(
    ({ leaf: { seq } }) => seq >= first && seq <= last,
  )
  const missing = last - first + 1 - new Set(leaves.map(({ leaf }) => leaf.seq)).size
  if (missing > 0) return { wrong: `${pluralize(missing, 'leaf', 'leaves')} missing`, missing: true }
  const events: ReceiptEvent[] = []
  for (const { leaf, opening } of leaves) {
    const opened = opening && (await openLeaf(leaf, opening))
    if (opened?.reason) return { wrong: `event ${leaf.seq} does not match the log (${opened.reason})` }
    const id = opened?.facts.id
    if (leaf.seq === first && opened && id !== event) return { wrong: `the log has event ${id} in its place` }
    if (opened?.content)
      events.push({ ...(opened.facts as unknown as ReceiptEvent), metadata: opened.content })
  }
  if (events.length < leaves.length) return { hidden: true }
  const digest = await receiptFacts(isBatch ? events : (events as [ReceiptEvent])[0])
  return digest === facts ? {} : { wrong: 'the log has other content in their place' }
}

/** Whether a restore has declared a leaf of the promised events void. The tree still has it, but no list does. */
async function isVoided({ head }: Context, { reg, first, last }: Promised): Promise<boolean> {
  const verified = requireVerified(head, 'the checkpoint')
  for (const range of verified.voided)
    for await (const { index, leaf } of leavesIn(verified, range)) {
      if (leaf.kind !== 'event' || leaf.reg !== reg || leaf.seq < first || leaf.seq > last) continue
      await verified.tree.requireLeaf(index, leafBytes(leaf))
      return true
    }
  return false
}

function timeOf(seconds: number): string {
  return new Date(1000 * seconds).toISOString()
}
