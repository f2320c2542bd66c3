import { attemptsOf, deliveriesOf, type Integration, newIntegration } from '../support/deliveries.ts'
import { type Body, ownStack } from '../support/harness.ts'

export type { Integration }

/** A stack whose clock only the tests move, so that a slow machine causes no delay, and platforms with receivers. */
export async function webhookStack() {
  delete process.env.QSTASH_URL // always use the stand-in, because these tests move its clock
  const own = await ownStack()
  await own.qstash.setClock({ mode: 'virtual' })
  const made: Integration[] = []
  return {
    ...own,
    async stop() {
      await Promise.all(made.map(({ stop }) => stop()))
      await own.stop()
    },
    async newIntegration(fields: object = {}): Promise<Integration> {
      const integration = await newIntegration(own, fields)
      made.push(integration)
      return integration
    },
    deliveries: ({ platform }: Integration) => deliveriesOf(own, platform),
    attempts: ({ platform }: Integration) => attemptsOf(own, platform),
    async webhookState({ platform }: Integration): Promise<Body> {
      const [row] = await own.sql(
        `select webhook_status, consecutive_failures, failing_since, attempts_without_response
         from platforms where slug = $1`,
        [platform.slug],
      )
      return row
    },
  }
}
