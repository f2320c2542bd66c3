import { platformDeliveriesPages } from './deliveries.ts'
import { platformDeliveryPages } from './delivery.ts'
import { platformKeyPages } from './keys.ts'
import { platformListPages } from './list.ts'
import { platformMemberPages } from './members.ts'
import { newPlatformPages } from './new.ts'
import { platformOverviewPages } from './overview.ts'
import { platformRecoverPages } from './recover.ts'
import { platformRetirePages } from './retire.ts'
import { platformSecretPages } from './secret.ts'
import { platformSettingsPages } from './settings.ts'

/** Everything below /console/platforms. `/new` must come before `/:slug`. */
export const platformParts = [
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
]
