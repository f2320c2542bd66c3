import { type Command, Option } from 'commander'
import { DELIVERY_STATUSES, type EventType } from '../../../../src/db/enums.ts'
import { type Schemas, unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { readType } from '../event-types.ts'
import { many, plain, printFacts, printTable } from '../output.ts'
import { addList } from '../paging.ts'
import { type OfPlatform, platformOption, requirePlatform } from '../platform.ts'
import { readReg, readSince } from '../words.ts'

interface Filters extends OfPlatform {
  status?: Schemas['Delivery']['status']
  type?: EventType
  reg?: string
}

/** Adds the commands for deliveries. */
export function addDeliveries(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('Deliveries: what was sent to the webhook of your platform, with the results.')
  addList(
    deliveries
      .command('list')
      .description('Lists the deliveries of the last 30 days, newest first.')
      .addOption(platformOption())
      .addOption(new Option('--status <status>', 'only those in this state').choices(DELIVERY_STATUSES))
      .option('--type <type>', 'only events of this type', readType)
      .option('--reg <reg>', 'only events about this agent', readReg),
    async (context, query, { platform, ...filters }: Filters) => {
      const { slug } = await requirePlatform(context, platform)
      const params = { path: { slug }, query: { ...filters, ...query } }
      return context.operator().GET('/platforms/{slug}/deliveries', { params })
    },
    {
      ID: (one) => one.id,
      TYPE: (one) => one.type,
      STATUS: (one) => one.status,
      ATTEMPTS: (one) => one.attempts,
      CREATED: (one) => one.created_at,
      'NEXT ATTEMPT': (one) => one.next_attempt_at,
    },
    'Nothing was sent in the last 30 days. To send an example: agentreg trigger incident.created',
  )
  deliveries
    .command('get')
    .argument('<id>', 'the id of the delivery')
    .description('Shows a delivery with its payload and every attempt.')
    .addOption(platformOption())
    .action(action(getDelivery))
  deliveries
    .command('redeliver')
    .argument('<id>', 'the id of the delivery')
    .description('Redelivers an event, as a new delivery with the same event id.')
    .addOption(platformOption())
    .action(action((context, id: string, options: OfPlatform) => repeat(context, id, options, 'redeliver')))
  deliveries
    .command('retry')
    .argument('<id>', 'the id of the delivery')
    .description('Retries a pending delivery now instead of when its next attempt is due.')
    .addOption(platformOption())
    .action(action((context, id: string, options: OfPlatform) => repeat(context, id, options, 'retry-now')))
  deliveries
    .command('recover')
    .description('After an outage: redelivers each event, once, whose delivery failed or was skipped.')
    .requiredOption(
      '--since <time>',
      'start: a time, or a duration before now, such as 2h; at most 14 days',
      readSince,
    )
    .addOption(platformOption())
    .addHelpText('after', '\nExample:\n  agentreg deliveries recover --since 2h')
    .action(action(recover))
}

async function getDelivery(context: Context, id: string, { platform }: OfPlatform): Promise<void> {
  const { slug } = await requirePlatform(context, platform)
  const params = { path: { slug, id } }
  const found = await unwrap(context.operator().GET('/platforms/{slug}/deliveries/{id}', { params }))
  context.data(found, (out) => {
    printFacts(out, [
      ['Delivery', found.id],
      ['Event', found.event_id],
      ['Type', found.type],
      ['Status', found.status],
      ['Created', found.created_at],
      ['Next attempt', found.next_attempt_at],
    ])
    out.line()
    printTable(
      out,
      ['ATTEMPT', 'STARTED', 'MS', 'STATUS', 'RESPONSE'],
      found.attempt_log.map((one) => [
        one.number,
        one.started_at,
        one.duration_ms,
        one.response_status,
        one.error ?? one.response_excerpt?.slice(0, 60),
      ]),
      'No attempt was made.',
    )
    out.line()
    for (const line of JSON.stringify(found.payload, null, 2).split('\n')) out.line(plain(line))
  })
}

async function repeat(
  context: Context,
  id: string,
  { platform }: OfPlatform,
  how: 'redeliver' | 'retry-now',
): Promise<void> {
  const { slug } = await requirePlatform(context, platform)
  const params = { path: { slug, id } }
  const client = context.operator()
  const queued = await unwrap(
    how === 'redeliver'
      ? client.POST('/platforms/{slug}/deliveries/{id}/redeliver', { params })
      : client.POST('/platforms/{slug}/deliveries/{id}/retry-now', { params }),
  )
  context.data(queued, (out) => {
    out.line(how === 'redeliver' ? `Redelivering ${queued.type}, as ${queued.id}.` : `Retrying ${id} now.`)
    out.line(`To see the result: agentreg deliveries get ${queued.id} --platform ${slug}`)
  })
}

async function recover(context: Context, { platform, since }: OfPlatform & { since: string }): Promise<void> {
  const { slug } = await requirePlatform(context, platform)
  const client = context.operator()
  let count = 0
  for (let more = true; more; ) {
    const params = { path: { slug } }
    const done = await unwrap(
      client.POST('/platforms/{slug}/deliveries/recover', { params, body: { since } }),
    )
    count += done.count
    more = done.more && done.count > 0
  }
  context.data({ platform: slug, since, count }, (out) => out.line(`Redelivering ${many(count, 'event')}.`))
}
