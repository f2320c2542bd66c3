import { type Command, Option } from 'commander'
import { PERMISSIONS, type Permission } from '../../../../src/db/enums.ts'
import { type Schemas, unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { store } from '../credentials.ts'
import { EXIT, Failure } from '../failure.ts'
import { plain } from '../output.ts'
import { addList, readCount } from '../paging.ts'
import type { OfPlatform } from '../platform.ts'
import { confirm } from '../terminal.ts'

type Created = Schemas['ApiKeyCreated']

const SECRET_ONCE = 'It is shown only once.'

/** Adds the commands for API keys of the operator or of a platform. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys: credentials for your programs.')
  addList(
    keys
      .command('list')
      .description('Lists your API keys, newest first, including revoked ones.')
      .addOption(platformOption()),
    async (context, query, { platform: slug }: OfPlatform) => {
      const client = context.operator()
      return slug
        ? client.GET('/platforms/{slug}/api-keys', { params: { path: { slug }, query } })
        : client.GET('/operators/me/api-keys', { params: { query } })
    },
    {
      ID: (key) => key.id,
      NAME: (key) => key.name,
      KEY: (key) => `${key.key_prefix}…`,
      PERMISSIONS: (key) => key.permissions.join(' '),
      'PER MINUTE': (key) => key.rate_limit_per_minute,
      STATUS: (key) => key.status,
      'LAST USED': (key) => key.last_used_at,
    },
    'There are no keys: agentreg keys create reporter --permission activity:report',
  )
  keys
    .command('create')
    .argument('<name>', 'what the key is for')
    .description('Creates an API key. The full key is shown once.')
    .addOption(
      new Option(
        '--permission <permission...>',
        'what it may do: read data that is not public, write (report events and resolve incidents), or only report',
      )
        .choices(PERMISSIONS)
        .default(['read']),
    )
    .option(
      '--rate-limit <number>',
      'requests per minute; 60 by default, and your tier sets the maximum',
      readCount,
    )
    .option('--expires <time>', 'when the key expires, such as 2027-11-21T10:00:00Z')
    .option('--save', 'store the key on this machine for agentreg report, and do not show it')
    .addOption(platformOption())
    .addHelpText('after', '\nExample:\n  agentreg keys create reporter --permission activity:report --save')
    .action(action(createKey))
  keys
    .command('update')
    .argument('<id>', 'the id of the key')
    .description('Changes the name or rate limit of a key.')
    .option('--name <name>', 'another name')
    .option('--rate-limit <number>', 'requests per minute; your tier sets the maximum', readCount)
    .addOption(platformOption())
    .action(action(updateKey))
  keys
    .command('rotate')
    .argument('<id>', 'the id of the key')
    .description(
      'Replaces a key: creates one with the same name and permissions, then revokes the old one. ' +
        'Programs with the old key are then rejected; with --keep-old, both work until you revoke it.',
    )
    .option('--keep-old', 'do not revoke the old key')
    .option('--yes', 'do not ask')
    .addOption(platformOption())
    .action(action(rotateKey))
  keys
    .command('revoke')
    .argument('<id>', 'the id of the key')
    .description('Revokes a key, permanently.')
    .option('--yes', 'do not ask')
    .addOption(platformOption())
    .action(action(revokeKey))
}

function platformOption(): Option {
  return new Option('--platform <slug>', 'keys of this platform instead of your own')
}

interface Wanted extends OfPlatform {
  permission: Permission[]
  rateLimit?: number
  expires?: string
  save?: boolean
}

async function createKey(context: Context, name: string, options: Wanted): Promise<void> {
  const { permission, rateLimit, expires, save, platform } = options
  if (save && !permission.includes('activity:report') && !permission.includes('write')) {
    throw new Failure('--save stores a key for reports, but this key has no permission to report', {
      next: 'add --permission activity:report',
    })
  }
  const body = {
    name,
    permissions: permission,
    ...(rateLimit && { rate_limit_per_minute: rateLimit }),
    ...(expires && { expires_at: expires }),
  }
  const key = await makeKey(context, platform, body)
  if (save) keep(context, key)
  show(context, key, save === true)
}

async function updateKey(
  context: Context,
  id: string,
  { name, rateLimit, platform }: { name?: string; rateLimit?: number } & OfPlatform,
): Promise<void> {
  const body = { ...(name !== undefined && { name }), ...(rateLimit && { rate_limit_per_minute: rateLimit }) }
  const client = context.operator()
  const key = await unwrap(
    platform
      ? client.PATCH('/platforms/{slug}/api-keys/{key_id}', {
          params: { path: { slug: platform, key_id: id } },
          body,
        })
      : client.PATCH('/operators/me/api-keys/{key_id}', { params: { path: { key_id: id } }, body }),
  )
  context.data(key, (out) =>
    out.line(`Changed ${plain(key.name)}: ${key.rate_limit_per_minute} requests per minute.`),
  )
}

async function rotateKey(
  context: Context,
  id: string,
  { keepOld, yes, platform }: { keepOld?: boolean; yes?: boolean } & OfPlatform,
): Promise<void> {
  const old = await findKey(context, platform, id)
  if (old.status === 'revoked')
    throw new Failure(`key ${id} is revoked`, { next: `agentreg keys create "${plain(old.name)}"` })
  if (!keepOld)
    await confirm(`Programs with the key ${old.key_prefix}… will be rejected immediately. Continue?`, yes)
  const { name, permissions, rate_limit_per_minute } = old
  const key = await makeKey(context, platform, { name, permissions, rate_limit_per_minute })
  const isSaved = context.stored?.api_key?.id === id
  if (isSaved) keep(context, key)
  show(context, key, isSaved) // before the step that can fail: then two keys remain, not none
  if (!keepOld) await endKey(context, platform, id)
  context.err.line(keepOld ? `The old key ${id} still works.` : `The old key ${id} is revoked.`)
}

async function revokeKey(
  context: Context,
  id: string,
  { yes, platform }: { yes?: boolean } & OfPlatform,
): Promise<void> {
  await confirm(`Programs with the key ${id} will be rejected immediately and permanently. Continue?`, yes)
  const revoked = await endKey(context, platform, id)
  if (context.stored?.api_key?.id === id) store(context, { api_key: undefined })
  context.data(revoked, (out) => out.line(`Revoked ${id}.`))
}

async function findKey(context: Context, platform: string | undefined, id: string) {
  const client = context.operator()
  const keys = platform
    ? client.paginate('/platforms/{slug}/api-keys', { params: { path: { slug: platform } } })
    : client.paginate('/operators/me/api-keys')
  for await (const key of keys) if (key.id === id) return key
  throw new Failure(`you have no key ${id}`, { next: 'agentreg keys list', status: EXIT.no })
}

async function makeKey(
  context: Context,
  platform: string | undefined,
  body: Schemas['ApiKeyInput'] & { permissions: Permission[] },
): Promise<Created> {
  const client = context.operator()
  if (!platform) return unwrap(client.POST('/operators/me/api-keys', { body }))
  const permissions = body.permissions.filter((one) => one !== 'write')
  if (permissions.length < body.permissions.length)
    throw new Failure('a platform key cannot have the permission write', { next: 'omit --permission write' })
  const params = { path: { slug: platform } }
  return unwrap(client.POST('/platforms/{slug}/api-keys', { params, body: { ...body, permissions } }))
}

async function endKey(context: Context, platform: string | undefined, key_id: string) {
  const client = context.operator()
  return unwrap(
    platform
      ? client.DELETE('/platforms/{slug}/api-keys/{key_id}', {
          params: { path: { slug: platform, key_id } },
        })
      : client.DELETE('/operators/me/api-keys/{key_id}', { params: { path: { key_id } } }),
  )
}

function keep(context: Context, { id, name, key }: Created): void {
  store(context, { api_key: { id, name, key } })
}

/** Prints a new key; a stored key is not printed, so that it does not appear in the scrollback. */
function show(context: Context, key: Created, isSaved: boolean): void {
  const { key: secret, ...rest } = key
  context.data(isSaved ? rest : key, (out) => {
    if (isSaved) return out.line(`Created ${plain(key.name)} (${key.id}), and stored it for agentreg report.`)
    out.line(`Created ${plain(key.name)} (${key.id}). ${SECRET_ONCE}`)
    out.line(secret)
  })
}
