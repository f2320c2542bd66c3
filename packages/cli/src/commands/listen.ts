import { type Command, Option } from 'commander'
import type { EventType } from '../../../../src/db/enums.ts'
import { makeWebhookSecret } from '../../../../src/lib/webhook-signature.ts'
import { decodeBase64 } from '../../../../src/transparency/bytes.ts'
import type { Schemas } from '../../../client/index.ts'
import { action, type Context } from '../context.ts'
import { readTypes } from '../event-types.ts'
import { EXIT, Failure } from '../failure.ts'
import { follow } from '../listen/follow.ts'
import { describeForwarded, type Forwarded, forward, isDelivered } from '../listen/forward.ts'
import { plain } from '../output.ts'
import { readCount } from '../paging.ts'
import { type OfPlatform, platformOption, requirePlatform } from '../platform.ts'
import { untilStopped } from '../terminal.ts'
import { readUrl } from '../words.ts'

const POLL_SECONDS = 2
const SECRET = /^whsec_(.+)$/

interface Options extends OfPlatform {
  forwardTo: string
  events?: EventType[]
  secret?: string
  poll: number
}

/** Adds the command that forwards webhooks to this machine. */
export function addListen(program: Command): void {
  program
    .command('listen')
    .summary('forward the webhooks of your platform to this machine')
    .description(
      "Forwards each new webhook of your platform once to a receiver on this machine, signed with a secret that is printed at the start and is valid only for this run. The deliveries to the platform's own URL do not change. Ctrl-C stops it.",
    )
    .requiredOption('--forward-to <url>', 'the receiver, such as http://localhost:3000', readUrl)
    .addOption(platformOption())
    .option('--events <types>', 'only these types, separated by commas', readTypes)
    .addOption(secretOption())
    .option('--poll <seconds>', 'how often to check for new webhooks', readCount, POLL_SECONDS)
    .addHelpText('after', '\nExample:\n  agentreg listen --forward-to http://localhost:3000')
    .action(action(listen))
}

/** The option for the secret of a receiver on this machine. */
export function secretOption(): Option {
  return new Option('--secret <secret>', 'sign with this secret (whsec_…)').env('AGENTREG_WEBHOOK_SECRET')
}

/**
 * Checks the format of a webhook secret.
 *
 * @throws Failure
 */
export function requireSecret(secret: string): string {
  const [, key] = SECRET.exec(secret) ?? []
  if (key && decodeBase64(key)) return secret
  throw new Failure('--secret: must be whsec_ followed by base64, as printed by agentreg listen')
}

async function listen(context: Context, options: Options): Promise<number> {
  const { forwardTo, events, poll } = options
  const secret = options.secret === undefined ? makeWebhookSecret() : requireSecret(options.secret)
  const { slug, webhook_url } = await requirePlatform(context, options.platform)
  if (webhook_url === null) {
    throw new Failure(`platform ${slug} has no webhook URL, so the registry creates no deliveries for it`, {
      next: `set one in ${context.baseUrl}/console/platforms/${slug}; to try your receiver without one: agentreg trigger incident.created --forward-to ${forwardTo} --secret whsec_… with the secret of the platform`,
    })
  }
  const client = context.operator()
  const deliveries = follow({
    client,
    slug,
    pollMs: poll * 1000,
    signal: untilStopped(),
    isWanted: ({ type }) => !events || events.includes(type),
    onTrouble: (message) => context.err.line(`${plain(message)}; trying again`),
    onReady: () => greet(context, { slug, secret, forwardTo }),
  })
  for await (const delivery of deliveries)
    tell(context, delivery, await forward(forwardTo, secret, delivery.payload))
  return EXIT.ok
}

interface Start {
  slug: string
  secret: string
  forwardTo: string
}

function greet({ err, out, isJson, baseUrl }: Context, { slug, secret, forwardTo }: Start): void {
  if (isJson) {
    out.line(JSON.stringify({ platform: slug, forward_to: forwardTo, secret }))
    return
  }
  err.line(`Webhooks of ${slug} at ${baseUrl} are forwarded to ${forwardTo}`)
  err.line('')
  err.line(`  Secret of this run    ${err.style('bold', secret)}`)
  err.line(`  Send a test event     agentreg trigger incident.created --platform ${slug}`)
  err.line('')
  err.line('Waiting for events. Press Ctrl-C to stop.')
}

function tell(context: Context, delivery: Schemas['Delivery'], result: Forwarded): void {
  const { out, isJson } = context
  const { id, event_id, type } = delivery
  if (isJson) {
    out.line(JSON.stringify({ delivery_id: id, event_id, type, ...result }))
    return
  }
  const said = describeForwarded(result)
  const shown = out.style(isDelivered(result) ? 'green' : 'red', said)
  out.line(
    `${new Date().toISOString()}  ${type.padEnd(24)}  → ${shown}  ${result.duration_ms} ms  ${event_id}`,
  )
}
