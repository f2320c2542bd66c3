import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { EVENT_TYPES, type EventType } from '../../../../src/db/enums.ts'
import { isObject } from '../../../../src/transparency/bytes.ts'
import { unwrap } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { readType } from '../event-types.ts'
import { EXIT, Failure } from '../failure.ts'
import { describeForwarded, type Forwarded, forward, isDelivered } from '../listen/forward.ts'
import { type OfPlatform, platformOption, requirePlatform } from '../platform.ts'
import { readUrl } from '../words.ts'
import { requireSecret, secretOption } from './listen.ts'

interface Options extends OfPlatform {
  forwardTo?: string
  secret?: string
}

/** Adds the command that sends a test event. */
export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .argument('<type>', 'the type of the event', readType)
    .summary('send the example of an event to your webhook')
    .description(
      'Makes the registry send an example event to the webhook of your platform, with "test": true in its data. With --forward-to, this machine sends it to a local receiver, signed with --secret; this requires no login and no platform.',
    )
    .addOption(platformOption())
    .option('--forward-to <url>', 'a receiver on this machine, such as http://localhost:3000', readUrl)
    .addOption(secretOption())
    .addHelpText('after', `\nTypes:\n${EVENT_TYPES.map((type) => `  ${type}`).join('\n')}`)
    .action(action(trigger))
}

async function trigger(context: Context, type: EventType, options: Options): Promise<number | undefined> {
  if (options.forwardTo !== undefined) return triggerHere(context, type, options.forwardTo, options.secret)
  const platform = await requirePlatform(context, options.platform)
  const { slug } = platform
  if (platform.webhook_url === null) {
    throw new Failure(`platform ${slug} has no webhook URL for the registry to send to`, {
      next: `agentreg trigger ${type} --forward-to http://localhost:3000 --secret whsec_… sends it from here`,
    })
  }
  const params = { path: { slug } }
  const delivery = await unwrap(
    context.operator().POST('/platforms/{slug}/webhook-test', { params, body: { type } }),
  )
  context.data(delivery, (out) => {
    out.line(`Sending ${type} to ${platform.webhook_url} as ${delivery.event_id}.`)
    out.line(`To see the result: agentreg deliveries get ${delivery.id} --platform ${slug}`)
  })
}

/** Sends the published example of a type to a receiver on this machine. */
async function triggerHere(
  context: Context,
  type: EventType,
  url: string,
  given: string | undefined,
): Promise<number> {
  if (given === undefined) {
    throw new Failure('receivers verify the signature, but no secret is set', {
      next: 'add --secret whsec_… with the secret of your platform, or the one that agentreg listen prints',
    })
  }
  const secret = requireSecret(given)
  const { data } = await unwrap(context.anyone().GET('/event-types'))
  const example: unknown = Reflect.get(data.find((one) => one.type === type) ?? {}, 'example')
  if (!isObject(example) || !isObject(example.data))
    throw new Failure(`this registry has no example of ${type}`)
  const id = `evt_${randomUUID().replaceAll('-', '')}`
  const event = { id, type, created_at: new Date().toISOString(), data: { ...example.data, test: true } }
  const result = await forward(url, secret, event)
  context.data({ event_id: id, type, ...result }, (out) =>
    out.line(`${type} to ${url}: ${describeForwarded(result)} (${result.duration_ms} ms), as ${id}`),
  )
  if (isDelivered(result)) return EXIT.ok
  context.err.line(adviceOn(result))
  return EXIT.no
}

function adviceOn({ error, reason }: Forwarded): string {
  if (error) return 'Is your receiver running there?'
  if (reason === 'signature_mismatch')
    return 'Your receiver has another secret: start it with the secret of --secret.'
  return 'The registry would retry: only 2xx counts as success.'
}
