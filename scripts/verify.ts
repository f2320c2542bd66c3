import { parseArgs } from 'node:util'
import { z } from 'zod'
import { SOURCES } from '../src/db/enums.ts'
import { eachField } from '../src/db/rollup-fields.ts'
import { utcDay } from '../src/lib/time.ts'
import { hashInputs } from '../src/trust/inputs.ts'
import { ALGORITHM_VERSION, scoreAgent, toShare, WEIGHTS_PERCENT } from '../src/trust/score.ts'
import { call } from './support/call.ts'
import { messageOf } from './support/message.ts'
import { say, table } from './support/print.ts'
import { asksForHelp, asWrongWords, readBaseUrl, readReg, runMain, WrongWords } from './support/words.ts'

const USAGE = 'usage: npm run -s trust:verify -- <base url> <agent number> [--date YYYY-MM-DD]'

const HELP = `${USAGE}

Computes the score of an agent from its published rows, and prints it next to the one of the service.

  <base url>     the URL of the service: https://registry.example
  --date day     the score at the end of this UTC day; default: the current score

exit status 0: all values are the same
            1: something differs
            2: the check could not be completed, for the reason in the message
For details, see docs/trust-score.md#check-a-score-yourself`
const TRIES = 3

const day = z.iso.date()
const counter = z.int().min(0)
const row = z.object({ day, source: z.enum(SOURCES), ...eachField(() => counter) })
const numbers = z.object({
  overall: z.number(),
  reliability: z.number(),
  accuracy: z.number(),
  safety: z.number(),
  speed: z.number(),
  consistency: z.number(),
  events_considered: z.number(),
  confidence: z.number(),
  provisional: z.boolean(),
})
type Numbers = z.infer<typeof numbers>

const inputsShape = z.object({
  reg: z.string(),
  today: day,
  algorithm_version: z.string(),
  rows: z.array(row),
  score: numbers.nullable(),
  sha256: z.string(),
})
type Inputs = z.infer<typeof inputsShape>

const insufficient = z.object({ status: z.literal('insufficient_data') }).transform(() => null)
const scoreShape = z.union([numbers, insufficient])

/** The arguments of the command; without a date, the current score is verified. */
export interface Requested {
  /** Without a trailing slash. */
  baseUrl: string
  reg: string
  date?: string | undefined
}

/**
 * Requests a score and its inputs, computes the score from them, and prints both side by side.
 *
 * @returns whether all is equal: the hash of the rows, every number, and the requested day
 * @throws Error when the service does not respond, or its response is invalid
 */
export async function verifyScore({ baseUrl, reg, date }: Requested): Promise<boolean> {
  const api = `${baseUrl}/api/v1`
  const { inputs, served } = await ask(api, reg, date)
  if (inputs.algorithm_version !== ALGORITHM_VERSION) {
    throw new Error(
      `the service computes version ${inputs.algorithm_version}, this program ${ALGORITHM_VERSION}`,
    )
  }
  const score = scoreAgent(inputs.rows, inputs.today)
  const own = score && { ...score, confidence: toShare(score.confidence) }
  const events = inputs.rows.reduce((sum, { events }) => sum + events, 0)
  const days = new Set(inputs.rows.map(({ day }) => day)).size
  say(
    `${reg} on ${inputs.today}: ${events} events on ${days} ${days === 1 ? 'day' : 'days'}, algorithm ${ALGORITHM_VERSION}`,
    '',
  )
  const differing = [
    ...differingFacts({ reg, date }, inputs, await hashInputs(inputs.rows)),
    ...differingNumbers(date ? { inputs: inputs.score } : { score: served, inputs: inputs.score }, own),
  ]
  say('', differing.length === 0 ? 'OK: all values are the same' : `differs: ${differing.join(', ')}`)
  return differing.length === 0
}

/** Requests inputs and score of the same state: an event in between changes them, so the inputs are requested again. */
async function ask(api: string, reg: string, date: string | undefined) {
  const path = `/agents/${reg}/trust-score`
  const askInputs = () =>
    call(api, {
      method: 'GET',
      path: `${path}/inputs${date ? `?date=${encodeURIComponent(date)}` : ''}`,
      status: 200,
      shape: inputsShape,
    })
  let inputs = await askInputs()
  if (date) return { inputs, served: null }
  for (let tries = 0; tries < TRIES; tries++) {
    const served = await call(api, {
      method: 'GET',
      path: `${path}?explain=true`,
      status: 200,
      shape: scoreShape,
    })
    const again = await askInputs()
    if (again.sha256 === inputs.sha256 && again.today === inputs.today) return { inputs, served }
    inputs = again
  }
  throw new Error('the agent reports events faster than they can be read; use --date with a past day')
}

function differingFacts({ reg, date }: Omit<Requested, 'baseUrl'>, inputs: Inputs, hash: string): string[] {
  // The score of a deactivated agent stays at its last day, which may be before the requested one.
  const latest = date ?? utcDay(new Date(Date.now() + 60_000))
  const places = inputs.rows.map(({ day, source }) => `${day} ${SOURCES.indexOf(source)}`)
  const isSorted = places.every((place, n) => place > (places[n - 1] ?? ''))
  const facts: [string, boolean][] = [
    ['reg', inputs.reg === reg],
    ['today', inputs.today <= latest],
    ['rows', isSorted && inputs.rows.every(({ day }) => day <= inputs.today)],
    ['sha256', inputs.sha256 === hash],
  ]
  say(`sha256 ${inputs.sha256}`, `  here ${hash}`, '')
  return facts.filter(([, same]) => !same).map(([name]) => name)
}

/** Prints each number of the responses next to the computed one; returns the names of those that differ. */
function differingNumbers(responses: Record<string, Numbers | null>, own: Numbers | null): string[] {
  const columns = [...Object.values(responses), own]
  if (columns.every((column) => column === null)) {
    say('no score: too few tasks')
    return []
  }
  const names = numbers.keyof().options
  const differing = names.filter((name) => columns.some((column) => column?.[name] !== own?.[name]))
  const weight = (name: string) => Object.entries(WEIGHTS_PERCENT).find(([known]) => known === name)?.[1]
  table([
    ['', ...Object.keys(responses), 'here', ''],
    ...names.map((name) => [
      weight(name) ? `${name} (${weight(name)}%)` : name,
      ...columns.map((column) => String(column?.[name] ?? '–')),
      differing.includes(name) ? '≠' : '',
    ]),
  ])
  return differing
}

/**
 * Parses the arguments of the command line.
 *
 * @throws Error that names the invalid argument, with the usage
 */
function parse(args: string[]): Requested {
  try {
    const options = { date: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const [address, number, ...rest] = positionals
    const requested = { baseUrl: readBaseUrl(address), reg: readReg(number), date: values.date }
    if (rest.length > 0) throw new WrongWords(`'${rest[0]}': unexpected argument`)
    if (requested.date !== undefined && !day.safeParse(requested.date).success)
      throw new WrongWords(`--date: must be a day, as 2026-11-20, not '${requested.date}'`)
    return requested
  } catch (error) {
    throw new Error(`${asWrongWords(error).message}\n${USAGE}`)
  }
}

/** @returns the exit status: 0 if all values are equal, 1 if one differs, 2 if the check could not be completed */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  if (asksForHelp(args)) {
    console.log(HELP)
    return 0
  }
  try {
    return (await verifyScore(parse(args))) ? 0 : 1
  } catch (error) {
    console.error(messageOf(error))
    return 2
  }
}

if (import.meta.main) await runMain(main)
