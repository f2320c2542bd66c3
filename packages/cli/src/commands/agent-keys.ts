import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { KEY_REASONS, type KeyReason } from '../../../../src/db/enums.ts'
import { type Schemas, unwrap } from '../../../client/index.ts'
import { signRequest } from '../../../verify/index.ts'
import {
  type AgentKey,
  findAgentKey,
  forgetAgentKey,
  makeAgentKey,
  proofOf,
  storeAgentKey,
} from '../agent-key.ts'
import { action, type Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { addList } from '../paging.ts'
import { readReg, readUrl } from '../words.ts'

/** Adds the commands for the keys with which an agent signs its requests. */
export function addAgentKeys(program: Command): void {
  const keys = program
    .command('agent-keys')
    .description('Keys with which your agents sign their requests. Private keys stay on this machine.')
  const of = (name: string, text: string) =>
    keys.command(name).argument('<reg>', 'the agent number', readReg).description(text)
  of('create', 'Makes a key, if this machine has none for the agent, and registers it.').action(
    action(create),
  )
  of('proof', 'Prints the proof with which someone who is signed in registers the key.').action(action(proof))
  addList(
    of('list', 'Lists the keys of an agent, newest first, including ended ones.'),
    (context, query, reg: string) =>
      context.anyone().GET('/agents/{reg}/keys', { params: { path: { reg }, query } }),
    {
      KEY: (key) => key.kid,
      STATUS: (key) => key.status,
      ADDED: (key) => key.added_at,
      EXPIRES: (key) => key.expires_at,
      REVOKED: (key) => key.revoked_at,
      REASON: (key) => key.reason,
    },
    'There are no keys: agentreg agent-keys create REG',
  )
  of('rotate', 'Registers a new key, then revokes the one of this machine.').action(action(rotate))
  of('revoke', 'Revokes a key, permanently and at once.')
    .option('--kid <id>', 'the id of the key; by default, that of this machine') // an id may begin with a hyphen
    .addOption(new Option('--reason <reason>', 'why').choices(KEY_REASONS).default('unused'))
    .action(action(revoke))
  program
    .command('sign')
    .argument('<reg>', 'the agent number', readReg)
    .argument('<method>', 'such as GET')
    .argument('<url>', 'the URL of the request', readUrl)
    .option('--body <file>', 'the body of the request')
    .option('--token', 'send a token of the registry, which saves receivers a look-up')
    .description('Prints the headers of a request that is signed by an agent, valid for a minute.')
    .addHelpText('after', '\nExample:\n  curl -H @<(agentreg sign REG GET URL) URL')
    .action(action(sign))
}

async function create(context: Context, reg: string): Promise<void> {
  const { key, path } = ownKey(context, reg)
  tell(context, await register(context, reg, key))
  context.err.line(`The private key is in ${path}.`)
}

async function proof(context: Context, reg: string): Promise<void> {
  const { key } = ownKey(context, reg)
  const text = proofOf(key, context.baseUrl, reg)
  context.data({ kid: key.kid, proof: text }, (out) => out.line(text))
}

async function rotate(context: Context, reg: string): Promise<void> {
  const { kid } = requireKey(context, reg)
  const key = makeAgentKey()
  const added = await register(context, reg, key)
  storeAgentKey(context.baseUrl, reg, key)
  await end(context, reg, kid, 'rotated')
  tell(context, added)
}

async function revoke(
  context: Context,
  reg: string,
  { kid = requireKey(context, reg).kid, reason }: { kid?: string; reason: KeyReason },
): Promise<void> {
  const ended = await end(context, reg, kid, reason)
  forgetAgentKey(context.baseUrl, reg, kid)
  tell(context, ended)
}

async function sign(
  context: Context,
  reg: string,
  method: string,
  url: string,
  { body: file, token: wantsToken }: { body?: string; token?: boolean },
): Promise<void> {
  const { kid, key } = requireKey(context, reg)
  const signatureAgent = `${context.baseUrl}/agents/${reg}/jwks.json`
  const body = file === undefined ? undefined : readFileSync(file)
  const token = wantsToken ? await tokenOf(context, kid) : undefined
  const headers = await signRequest({ method, url }, { key, signatureAgent, body, token })
  context.data(headers, (out) => {
    for (const [name, value] of Object.entries(headers)) out.line(`${name}: ${value}`)
  })
}

async function tokenOf(context: Context, kid: string): Promise<string> {
  const params = { path: { kid } }
  return (await unwrap(context.anyone().GET('/agent-keys/{kid}/token', { params }))).token
}

async function register(context: Context, reg: string, key: AgentKey) {
  const body = { proof: proofOf(key, context.baseUrl, reg) }
  return unwrap(context.operator().POST('/agents/{reg}/keys', { params: { path: { reg } }, body }))
}

async function end(context: Context, reg: string, kid: string, reason: KeyReason) {
  const params = { path: { reg, kid }, query: { reason } }
  return unwrap(context.operator().DELETE('/agents/{reg}/keys/{kid}', { params }))
}

/** The key of this machine, which is made if there is none. */
function ownKey({ baseUrl }: Context, reg: string): { key: AgentKey; path: string } {
  const key = findAgentKey(baseUrl, reg) ?? makeAgentKey()
  return { key, path: storeAgentKey(baseUrl, reg, key) }
}

function requireKey({ baseUrl }: Context, reg: string): AgentKey {
  const found = findAgentKey(baseUrl, reg)
  if (found) return found
  throw new Failure(`this machine has no key of ${reg}`, { next: `agentreg agent-keys create ${reg}` })
}

function tell(context: Context, key: Schemas['AgentKey']): void {
  context.data(key, (out) => out.line(`Key ${key.kid} of ${key.reg} is ${key.status}.`))
}
