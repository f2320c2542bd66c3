import * as z from 'zod'
import { REG_PATTERN } from '../lib/agent-number.ts'
import { isPlainUrl, PLAIN_URL, readWebAddress } from '../lib/host.ts'
import { SLUG_MAX, SLUG_MIN, SLUG_PATTERN } from '../lib/slug.ts'
import {
  codePoints,
  isStorable,
  normalized,
  textProblem,
  tokenProblem,
  withSingleSpaces,
} from '../lib/text.ts'
import { rule } from './rule.ts'

/** Maximum lengths, in code points. */
export const NAME_MAX = 255
export const EMAIL_MAX = 254 // RFC 5321, section 4.5.3.1.3
export const DESCRIPTION_MAX = 5_000
export const SPECIALIZATION_MAX = 50
export const EVENT_TYPE_MAX = 50
const URL_MAX = 2_048

/** The error message for a value that is not a string. */
function requiredText(issue: { input?: unknown }): string {
  if (issue.input === undefined) return 'required'
  return Array.isArray(issue.input) ? 'must be given only once' : 'must be a string'
}

/** A query parameter that may be given once. */
export function queryParam(name: string, max: number, docs: { description: string; example: string }) {
  return textField(max, { param: { name, in: 'query' }, ...docs })
}

/** A query parameter that is one of a list of words, and may be given once. */
export function wordParam<const Words extends readonly string[]>(
  name: string,
  words: Words,
  error: string,
  docs: { description: string; example?: Words[number] },
) {
  return z
    .enum(words, { error })
    .optional()
    .register(z.globalRegistry, { param: { name, in: 'query' }, ...docs })
}

/** A query parameter that is `true` or `false`, and false if it is omitted. */
export function flagParam(name: string, description: string) {
  return z
    .string({ error: 'must be given only once' })
    .regex(/^(true|false)$/, 'must be true or false')
    .transform((text) => text === 'true')
    .default(false)
    .register(z.globalRegistry, {
      param: { name, in: 'query' },
      type: 'boolean',
      default: false,
      description,
      example: true,
    })
}

/** A query parameter that is searched for in texts for people: converted to NFC, as those are stored. */
export function searchParam(name: string, max: number, docs: { description: string; example: string }) {
  return textField(max, { param: { name, in: 'query' }, ...docs }, [z.overwrite(normalized)])
}

/** A text of at most `max` code points that Postgres can store; not for texts that are shown to people. */
export function textField(max: number, docs: z.GlobalMeta = {}, first: z.core.$ZodCheck<string>[] = []) {
  return z
    .string({ error: requiredText })
    .check(
      ...first,
      atMost(max),
      rule((given) => given.trim().length > 0, 'must not be empty'),
      rule(isStorable, 'must not contain NUL or an unpaired surrogate'),
    )
    .register(z.globalRegistry, { minLength: 1, maxLength: max, ...docs })
}

/** A line of text for people, in NFC and with single spaces; src/lib/text.ts defines which characters it may contain. */
export function shownLine(max: number) {
  return z
    .string({ error: requiredText })
    .check(z.overwrite(withSingleSpaces), judged(textProblem), z.overwrite(normalized), atMost(max))
    .register(z.globalRegistry, { minLength: 1, maxLength: max })
}

export const SHOWN_NAME = 'Display name'

/** A name that a user gives. */
export const nameField = shownLine(NAME_MAX)

/** A text for people, in NFC; may contain line feeds and tabs. */
export function shownText(max: number, { mayBeEmpty = false } = {}) {
  const problem = (text: string) => (mayBeEmpty && text === '' ? null : textProblem(text, { lines: true }))
  const minLength = mayBeEmpty ? 0 : 1
  return z
    .string({ error: requiredText })
    .check(judged(problem), z.overwrite(normalized), atMost(max))
    .register(z.globalRegistry, { minLength, maxLength: max })
}

/** A text for programs: without invisible characters, and without whitespace at its ends. */
export function wordField(max: number) {
  return z
    .string({ error: requiredText })
    .check(judged(tokenProblem), atMost(max))
    .register(z.globalRegistry, { minLength: 1, maxLength: max })
}

function judged(problem: (text: string) => string | null) {
  return rule<string>(
    (text) => problem(text) === null,
    (text) => problem(text) ?? '',
    { abort: true },
  )
}

function atMost(max: number) {
  const fits = (text: string) => text.length <= max || codePoints(text) <= max
  return rule<string>(fits, `at most ${max} characters`)
}

/** A URL of any scheme. */
export const urlField = textField(URL_MAX)

/** The URL of a web page or picture: http or https, without username and password. */
export const webUrl = urlField
  .check(rule(isPlainUrl, PLAIN_URL), rule(isWebUrl, 'must be an http or https URL'))
  .register(z.globalRegistry, { format: 'uri', example: 'https://example.com' })

/** The https URL of a page for people; stored in ASCII and never fetched. */
export const webAddress = urlField
  .transform((text, context) => {
    const read = readWebAddress(text)
    if ('url' in read) return read.url
    context.addIssue({ code: 'custom', message: read.problem })
    return z.NEVER
  })
  .check(rule((url) => url.length <= URL_MAX, `at most ${URL_MAX} characters, in percent-encoding`))
  .register(z.globalRegistry, { type: 'string', format: 'uri' })

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && !username && !password
}

export const REG_EXAMPLE = 'REG-2026-0001-0042-U'
export const AGENT_NAME_EXAMPLE = 'Invoice Reader'
export const DOMAIN_EXAMPLE = 'agents.example.com'
export const ID_EXAMPLE = '01a1fc89-cf65-7e90-91f2-582afd126737'

/** An agent number; the error for one in lowercase names the correct spelling. */
export const regField = z
  .string({ error: requiredText })
  .regex(REG_PATTERN, { error: ({ input }) => regProblem(String(input)) })
  .register(z.globalRegistry, { example: REG_EXAMPLE })

function regProblem(text: string): string {
  const rule = 'must have the form REG-YYYY-BBBB-NNNN-C'
  const capitals = text.toUpperCase()
  return REG_PATTERN.test(capitals) ? `${rule}, in uppercase: ${capitals}` : rule
}

/** The path parameter `reg`. */
export const regParam = z.object({
  reg: regField.meta({
    param: { name: 'reg', in: 'path' },
    description: 'Agent number: year, block, number within the block, check character',
  }),
})

const SLUG_RULE = `must be ${SLUG_MIN} to ${SLUG_MAX} characters: a-z, 0-9, and single hyphens between them`
export const SLUG_EXAMPLE = 'acme-market'

/** The slug of a platform; checks only its form. */
export const slugField = z
  .string({ error: requiredText })
  .check(
    z.regex(SLUG_PATTERN, { error: SLUG_RULE, abort: true }),
    rule(({ length }) => length >= SLUG_MIN && length <= SLUG_MAX, SLUG_RULE),
  )
  .register(z.globalRegistry, { minLength: SLUG_MIN, maxLength: SLUG_MAX })

/** The path parameter `slug`; `.extend(idParam(…).shape)` adds the ID of a record below the platform. */
export const slugParam = z.object({
  slug: slugField.meta({
    param: { name: 'slug', in: 'path' },
    description: 'Slug of the platform',
    example: SLUG_EXAMPLE,
  }),
})

const YEARS = /^(?!0000)\d{4}-/ // years that toISOString writes and Postgres reads: 0001 to 9999

/** Whether a text is a time that the database can store. */
export function isStorableTime(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && YEARS.test(new Date(time).toISOString())
}

/** A path parameter for the UUID of a record; `of` names the kind of record. */
export function idParam<const Name extends string>(name: Name, of: string) {
  const id = z.uuid('must be a UUID').register(z.globalRegistry, {
    param: { name, in: 'path' },
    description: `ID of ${of}`,
    example: ID_EXAMPLE,
  })
  return z.object({ [name]: id } as Record<Name, typeof id>)
}
