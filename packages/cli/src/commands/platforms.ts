import type { Command } from 'commander'
import { unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { plain } from '../output.ts'
import { addList } from '../paging.ts'

/** Adds the commands for platforms. */
export function addPlatforms(program: Command): void {
  const platforms = program
    .command('platforms')
    .description('Platforms: products on which agents work, and which receive webhooks.')
  addList(
    platforms.command('list').description('Lists your platforms, newest first.'),
    (context, query) => context.operator().GET('/platforms', { params: { query } }),
    {
      SLUG: (one) => one.slug,
      NAME: (one) => one.name,
      STATUS: (one) => one.status,
      WEBHOOK: (one) => one.webhook_status,
      URL: (one) => one.webhook_url,
    },
    'You have no platforms: agentreg platforms create my-platform',
  )
  platforms
    .command('create')
    .argument('<slug>', 'the permanent name of the platform: a-z, 0-9 and hyphens')
    .option('--name <name>', 'the display name; defaults to the slug')
    .option('--webhook-url <url>', 'the https URL that receives webhooks')
    .description('Registers a platform. The webhook secret is shown only once.')
    .action(action(createPlatform))
}

async function createPlatform(
  context: Context,
  slug: string,
  { name, webhookUrl }: { name?: string; webhookUrl?: string },
): Promise<void> {
  const body = { slug, name: name ?? slug, ...(webhookUrl !== undefined && { webhook_url: webhookUrl }) }
  const platform = await unwrap(context.operator().POST('/platforms', { body }))
  context.data(platform, (out) => {
    out.line(`Registered ${plain(platform.slug)}. Its webhook secret, shown only once:`)
    out.line(platform.webhook_secret)
  })
}
