import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTokenKey } from '../../src/transparency/token.ts'
import { migrateDatabase } from '../migrate.ts'
import { type Changes, changeSettings, type Target } from './change.ts'
import { describeRotation, rotateSecrets } from './secrets.ts'
import { OWNER_SETTING } from './settings.ts'
import { readSettings } from './site.ts'

const STEPS = ['add', 'use', 'drop', 'replace'] as const
const LISTS = ['CREDENTIALS_KEY', 'TOKEN_KEYS'] as const
const SETTLED_MS = 60_000 // until every location has the new version, and requests of the previous one have ended

type Step = (typeof STEPS)[number]
type List = (typeof LISTS)[number]

/** What `rotate` accepts, for its usage. */
export const ROTATIONS = `SECRETS_KEY | DATABASE_URL | ${LISTS.join(' ')} ${STEPS.join('|')}`

/**
 * Rotates a secret that this service generates itself.
 *
 * @returns what was done
 * @throws Error when the arguments are invalid, or a step failed; it can then be repeated
 */
export async function rotate(target: Target, [name, step, ...others]: readonly string[]): Promise<string> {
  const list = LISTS.find((one) => one === name)
  const wanted = STEPS.find((one) => one === step)
  if (others.length > 0 || !!list !== !!wanted || (!list && step)) throw new Error(`must be ${ROTATIONS}`)
  if (list && wanted) return rotateList(target, list, wanted)
  if (name === 'SECRETS_KEY') return rotateSecretsKey(target)
  if (name === 'DATABASE_URL') return rotatePassword(target)
  throw new Error(`must be ${ROTATIONS}`)
}

async function rotateSecretsKey(target: Target): Promise<string> {
  const { SECRETS_KEY = '', SECRETS_KEY_PREVIOUS } = readSettings(target.file)
  if (!SECRETS_KEY_PREVIOUS)
    await changeSettings(target, { SECRETS_KEY: newKey(), SECRETS_KEY_PREVIOUS: SECRETS_KEY })
  const now = readSettings(target.file)
  const { SECRETS_KEY: current = '', SECRETS_KEY_PREVIOUS: previous = '' } = now
  await pause(target.settledMs ?? SETTLED_MS)
  const rotated = await rotateSecrets(ownerOf(now), { current, previous })
  const said = describeRotation(rotated)
  if (rotated.unopened.length > 0) throw new Error(`${said}\nSECRETS_KEY_PREVIOUS is kept`)
  await changeSettings(target, { SECRETS_KEY_PREVIOUS: '' })
  return said
}

/** Until the Worker has the new password, its new connections fail. */
async function rotatePassword(target: Target): Promise<string> {
  const settings = readSettings(target.file)
  const url = new URL(settings.DATABASE_URL ?? '')
  url.password = randomBytes(24).toString('hex')
  await migrateDatabase(ownerOf(settings), url.password)
  await changeSettings(target, { DATABASE_URL: url.href })
  return `the role ${url.username} has a new password`
}

async function rotateList(target: Target, name: List, step: Step): Promise<string> {
  const keys = keysOf(name, readSettings(target.file)[name] ?? '')
  const after = stepOf(keys, step, name === 'TOKEN_KEYS' ? await makeTokenKey() : newKey())
  await changeSettings(target, { [name]: textOf(name, after) })
  return `${name} has ${after.length} keys`
}

/**
 * The keys after a step of a rotation; the first one signs, all are accepted.
 *
 * @throws Error when the step does not follow from the keys
 */
function stepOf(keys: readonly string[], step: Step, fresh: string): string[] {
  const [first = '', ...others] = keys
  if (step === 'add' && others.length === 0) return [first, fresh].filter((key) => key !== '')
  if (step === 'use' && others.length === 1) return [...others, first]
  if (step === 'drop' && others.length > 0) return [first]
  if (step === 'replace') return [fresh]
  throw new Error(`${step}: there are ${keys.length} keys; the steps are add, use, drop`)
}

function keysOf(name: List, text: string): string[] {
  if (name === 'CREDENTIALS_KEY') return text.split(',')
  return (JSON.parse(text || '[]') as object[]).map((key) => JSON.stringify(key)) // checked by the rules of the settings
}

function textOf(name: List, keys: readonly string[]): string {
  return name === 'CREDENTIALS_KEY' ? keys.join(',') : `[${keys.join(',')}]`
}

function ownerOf(settings: Changes): string {
  const url = settings[OWNER_SETTING]
  if (!url) throw new Error(`${OWNER_SETTING} is missing`)
  return url
}

function newKey(): string {
  return randomBytes(32).toString('base64')
}
