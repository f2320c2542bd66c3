import { agentActivityPages } from './activity.ts'
import { agentDomainPages } from './domain.ts'
import { agentIncidentPages } from './incidents.ts'
import { agentKeyPages } from './keys.ts'
import { agentListPages } from './list.ts'
import { newAgentPages } from './new.ts'
import { agentOverviewPages } from './overview.ts'
import { agentSettingsPages } from './settings.ts'

/** The pages of an operator's agents. `/new` must come before `/:reg`. */
export const agentParts = [
  agentListPages,
  newAgentPages,
  agentOverviewPages,
  agentActivityPages,
  agentIncidentPages,
  agentDomainPages,
  agentKeyPages,
  agentSettingsPages,
]
