import { agentPages } from './actions.ts'
import { agentListPages } from './list.ts'
import { newAgentPages } from './new.ts'

/** The pages of an operator's agents; that of a new one stands before that of a number. */
export const agentParts = [agentListPages, newAgentPages, agentPages]
