import { accountPages } from './account/index.ts'
import { agentActivityPages } from './agents/activity.ts'
import { agentDomainPages } from './agents/domain.ts'
import { agentIncidentPages } from './agents/incidents.ts'
import { agentKeyPages } from './agents/keys.ts'
import { agentListPages } from './agents/list.ts'
import { newAgentPages } from './agents/new.ts'
import { agentOverviewPages } from './agents/overview.ts'
import { agentSettingsPages } from './agents/settings.ts'
import { auditPages } from './audit.ts'
import { ownKeyPages } from './keys/own.ts'
import { notificationPages } from './notifications.ts'
import { overviewPages } from './overview/page.ts'
import { platformDeliveriesPages } from './platforms/deliveries.ts'
import { platformDeliveryPages } from './platforms/delivery.ts'
import { platformKeyPages } from './platforms/keys.ts'
import { platformListPages } from './platforms/list.ts'
import { platformMemberPages } from './platforms/members.ts'
import { newPlatformPages } from './platforms/new.ts'
import { platformOverviewPages } from './platforms/overview.ts'
import { platformRecoverPages } from './platforms/recover.ts'
import { platformRetirePages } from './platforms/retire.ts'
import { platformSecretPages } from './platforms/secret.ts'
import { platformSettingsPages } from './platforms/settings.ts'
import { signInPages } from './sign-in.ts'

/** Everything below /console. `/new` must come before `/:reg` and `/:slug`. */
export const consoleParts = [
  signInPages,
  overviewPages,
  agentListPages,
  newAgentPages,
  agentOverviewPages,
  agentActivityPages,
  agentIncidentPages,
  agentDomainPages,
  agentKeyPages,
  agentSettingsPages,
  ownKeyPages,
  platformListPages,
  newPlatformPages,
  platformOverviewPages,
  platformSettingsPages,
  platformSecretPages,
  platformRetirePages,
  platformMemberPages,
  platformKeyPages,
  platformDeliveriesPages,
  platformDeliveryPages,
  platformRecoverPages,
  notificationPages,
  auditPages,
  accountPages,
]
