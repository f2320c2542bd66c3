import { Failure, messageOf } from './failure.ts'
import { type AgentVerdict, type VerifyAgentOptions, verifyAgent } from './registry.ts'

/**
 * Verifies an agent.
 *
 * @throws Failure when the URL or the number is invalid
 */
export async function verdictOf(
  baseUrl: string,
  reg: string,
  options: Pick<VerifyAgentOptions, 'issuer' | 'openCheckpoint' | 'signal'> = {},
): Promise<AgentVerdict> {
  try {
    return await verifyAgent(baseUrl, reg, options)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Failure(`cannot verify ${reg} at ${baseUrl}: ${messageOf(error)}`, { cause: error })
  }
}
