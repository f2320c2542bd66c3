import { agentPages } from './actions.ts'
import { agentKeyPages } from './keys.ts'
import { agentListPages } from './list.ts'
import { newAgentPages } from './new.ts'

/** The pages of an operator's agents. `/new` must come before `/:reg`. */
export const agentParts = [agentListPages, newAgentPages, agentKeyPages, agentPages]
